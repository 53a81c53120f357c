"""Broken inputs and lines that cannot be meant, one row each: one message with the place and the mend.

Every row runs with ``-o out.txt`` where there is an ``out.txt`` already: no trace may be left.
"""

import gzip
import io
import shlex
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hierpair import Hierarchy
from hierpair.cli import main
from hierpair.evaluation import partial

from .conftest import write

BASE = {
    "tree.tsv": "r\ta\na\tb\na\tc\nr\td\n",
    "true.tsv": "1\tb\n2\tc|d\n",
    "true.txt": "b\nc d\n",
    "one.tsv": "2\tc\n1\tb\n",
    "out.txt": "precious",
}
"""Sound files that lie beside the broken ones."""

FOLDER = None


class Row(NamedTuple):
    """Files to write, the command, what the message must say, the exit code, standard input."""

    name: str
    files: dict
    command: str
    says: tuple
    code: int = 2
    stdin: bytes = b""


ROWS: dict[str, Row] = {}


def row(name, files, command, *says, code=2, stdin=b""):
    assert name not in ROWS, name
    assert says, name
    ROWS[name] = Row(name, files, command, says, code, stdin)


# fmt: off
def tree(name, content, *says, file='bad', options='', stdin=b''):
    row(f'hierarchy: {name}', {file: content}, f'convert {file} --to json {options}', *says)
def labels(name, content, *says, file='bad.tsv', options='', truth='true.tsv', **more):
    files = {file: content, **{k.replace('_', '.'): v for k, v in more.items()}}
    row(f'labels: {name}', files, f'score tree.tsv {truth} {file} -m hf {options}', *says)
row('hierarchy: no such file', {}, 'score none.tsv true.tsv one.tsv', 'none.tsv: there is no such file')
row('hierarchy: a folder', {'dir': FOLDER}, 'score dir true.tsv one.tsv', 'dir: this is a folder, not a file')
row('order: labels as hierarchy', {}, 'score true.tsv tree.tsv one.tsv', 'true.tsv: ', 'a hierarchy comes first')
tree('only blank lines', '\n \n', 'bad: no line holds a class')
tree('UTF-16 without mark', 'r\ta\n'.encode('utf-16-le'), 'bad:1: a NUL byte')
tree('CSV', 'r,a\na,b\n', 'bad.csv:1: which column is the class and which its parent?', 'a header such as parent,child', file='bad.csv')
tree('CSV: a column misspelt', 'up,down\n,r\nr,a\n', "there is no column 'upp'; did you mean 'up'?", options='--hierarchy-format csv --parent-column upp --child-column down')
tree('CSV with a word for a blank', 'id,parent\nr,NaN\na,r\n', "bad:2: the parent 'NaN'; leave", 'blank')
tree('an old spreadsheet', b'\xd0\xcf\x11\xe0', 'this is an Excel file; save it as CSV')
tree('a web page', '<!DOCTYPE html>\n<html></html>', 'bad: this is a web page (HTML); download')
tree('unknown rule for cycles', 'r a\n', "--break-cycles must be one of depth-first, got 'all'", options='--break-cycles all')
def obo(name, content, *says, options=''):
    tree(f'OBO: {name}', content, *says, file='bad.obo', options=options)
obo('no id', '[Term]\nname: a\n', 'bad.obo:1: this [Term] has no id')
obo('id twice', '[Term]\nid: a\n\n[Term]\nid: a\n', "bad.obo:5: the id 'a' already occurs at bad.obo:2")
obo('relationship without a target', '[Term]\nid: a\nrelationship: part_of\n', 'bad.obo:3: the parent is missing after')
PART = '[Term]\nid: a\nrelationship: part_of b\n[Term]\nid: b\n'
obo('unknown relation', PART, "bad.obo: there is no relation 'partof'", "did you mean 'part_of'?", options='--relations partof')
obo('no terms', 'format-version: 1.2\n', 'bad.obo: no [Term] that is not obsolete')
obo('two ids', '[Term]\nid: a\nid: b\n', "bad.obo:3: a second id, 'b'; every [Term] has one")
obo('unknown namespace', '[Term]\nid: a\nnamespace: bio\n', "there is no namespace 'boi'", "did you mean 'bio'?", options='--namespace boi')
obo('alt_id of two', '[Term]\nid: a\nalt_id: x\n[Term]\nid: b\nalt_id: x\n', "bad.obo:6: the id 'x' means two terms")
row('hierarchy: format misspelt', {}, 'convert tree.tsv --hierarchy-format edgs --to json', "the hierarchy format must be one of", "got 'edgs'", "did you mean 'edges'?")
def jsn(name, content, *says):
    tree(f'JSON: {name}', content, *says, file='bad.json')
jsn('cut short', '{"a": ["r"', "bad.json: not JSON: Expecting ',' delimiter (column 11)")
jsn('no hierarchy', '3', 'bad.json: a hierarchy is wanted, got')
jsn('key twice', '{"a":"r","a":"s"}', "bad.json: the key 'a' occurs twice")
jsn('child without name', '{"name":"r","children":[{"children":[]}]}', "bad.json: a class under 'r' must be a name or have a name")
jsn('nodes and links', '{"nodes":[{"id":"aa"}],"links":[{"source":"aa","target":"ab"}]}', "bad.json: the key 'nodes' would be a class")
jsn('alias of no class', '{"edges":[["r","a"]],"aliases":{"x":"q"}}', "bad.json: 'x' cannot be another name of 'q'")
jsn('JSON lines', '{"id":1,"labels":["a"]}\n{"id":2}\n', 'bad.json:2: not JSON: Extra data')
jsn('some weights', '[["r","a",1],["r","b"]]', 'bad.json: some edges carry a weight and some do not')
jsn('classes no list', '{"edges":[["r","a"]],"classes":"r"}', 'bad.json: classes must be a list')
PREFIX = '@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n'
RDF = '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:skos="http://www.w3.org/2004/02/skos/core#">'
tree('SKOS: broken XML', f'{RDF}\n<open></rdf:RDF>', 'bad.rdf:2: not RDF (xml): mismatched tag', file='bad.rdf')
tree('SKOS: broader to a text', PREFIX + '<a> a skos:Concept ; skos:broader "b" .', "bad.ttl: the parent 'b' of 'a' is not", 'defined in the file (as a skos:Concept); to go on without such terms: --undefined drop', file='bad.ttl')
tree('edges or paths', 'food/soft cheese\nfood/hard cheese\n', 'an edge, parent and child, or a', 'format to edges or paths')
row('truth: a truth beside a prediction', {'t.csv': 'id,gold,pred\n1,b,c\n2,c,c\n'}, 'score tree.tsv t.csv one.tsv', "t.csv: which column is meant, 'gold' or 'pred'?", 'as in truth:gold')
row('weights: no file', {}, 'score tree.tsv true.tsv one.tsv -m hf --set weights=no.tsv', 'hierpair: the weights must be one of ones', 'no.tsv: there is no such file')
row('system: a label beside a prediction', {'r.csv': 'id,label,prediction\n1,b,c\n2,c,c\n'}, 'score tree.tsv true.tsv r.csv', "r.csv: which column is meant, 'label' or 'prediction'?")
row('curve: a bad score', {'s.tsv': '1\tb\t0.5\n2\tc\thigh\n1\tc\t0.25\n'}, 'curve tree.tsv true.tsv s.tsv', 's.tsv:2', "'high'")
labels('ids written 1.0', '1.0\tb\n2.0\tc\n', 'bad: 2 instances have no truth', "'1.0' (the truth has ids such as '1')")
labels('unknown class', '1\tb\n2\tcc\n', "bad.tsv:2, instance '2': class 'cc' is not in the hierarchy", "did you mean 'c'?", '--unknown drop or root')
labels('blank label', '1\tb||c\n2\tc\n', "bad.tsv:1, instance '1': a label is missing", 'a bar too many?')
labels('quotes around labels', '1\t"b"\n2\t"c"\n', 'bad.tsv:1, instance \'1\': class \'"b"\'', 'write labels without quotes and brackets')
labels('id twice', '1\tb\n2\tb\n1\tc\n', "bad.tsv:3: instance '1' already occurs at bad.tsv:1", 'for one label per line, say so (--long')
labels('lines: bars', 'b|c\nd\n', "bad.txt:1: class 'b|c'", 'labels separated by blanks or commas', file='bad.txt')
labels('least score without scores', '1\tb\n2\tc\n', 'bad.tsv: there is no column score', 'name the score column', options='--min-score 0.5')
def csv(name, content, *says, **more):
    more = {'true_tsv': 'id\tlabels\tl1\tl2\n1\tb\ta\tb\n2\tc\ta\tc\n', **more}
    labels(f'CSV: {name}', content, *says, file='bad.csv', **more)
csv('open quote', 'id,labels\n1,"b\n2,c\n', 'bad.csv:2: not CSV: a quotation mark opens here')
csv('id column misspelt', 'id,labels\n1,b\n2,c\n', "there is no column 'idd'; did you mean 'id'?", 'name the id column', options='--id-column idd')
csv('candidates with ranks', 'id,label,rank\n1,b,1\n1,c,2\n2,c,1\n2,d,2\n', "bad.csv: ids are repeated, and a column is called 'rank'", '(--long)', '--where rank=1')
csv('candidates with probabilities', 'id,label,Prob\n1,b,.5\n1,c,.2\n2,c,.8\n2,d,.1\n', '(--score-column Prob --min-score X)')
labels('a least score of logarithms', '1\tb\t-0.1\n2\tc\t-3\n', 'bad.tsv:1: scores run from -3 to -0.1, so a least one of 0.5 takes none', options='--min-score 0.5')
labels('a least score of per cents', '1\tb\t99\n2\tc\t1.5\n', 'bad.tsv:1: scores run from 1.5 to 99, so a least one of 1 takes all', options='--min-score 1')
labels('a least score in per cent', '1\tb\t0.5\n2\tc\t1\n', 'bad.tsv:1: scores run from 0.5 to 1, so a least one of 50 takes none (per cent?)', options='--min-score 50')
labels('ids under another name, in another order', 'doc,label\n2,c\n1,b\n', "bad: do instances go by position, or by the column 'doc', whose values stand in another order than those of the truth?", '--id-column', 'leave it out', file='bad.csv')
labels('ids under another name on both sides', '{"doc": 2, "labels": ["c"]}\n{"doc": 1, "labels": ["b"]}\n', "by the column 'doc'", file='bad.jsonl', truth='true.csv', true_csv='doc,label\n1,b\n2,c\n')
labels('JSON: a column', '{"labels": ["b", "c"]}', 'bad.json:1: is {', 'one instance, or a column', 'one object a line', file='bad.json')
labels('TSV: candidates with ranks', 'id\tlabel\trank\n1\tb\t1\n1\tc\t2\n2\tc\t1\n2\td\t2\n', "bad.tsv: ids are repeated, and a column is called 'rank'", '--where rank=1')
labels('TSV: a label beside a prediction', 'id\tlabel\tprediction\n1\tb\tc\n2\tc\tc\n', "bad.tsv: which column is meant, 'label' or 'prediction'?")
labels('TSV: sets of labels with repeated ids', 'id\tlabels\n1\tb\n1\tc\n2\tc\n', "bad.tsv:3: instance '1' already occurs at bad.tsv:2", '--rows truth:label')
csv('semicolons', 'id;labels\n1;b\n2;c\n', "bad.csv:1: fields are separated by ';', not by ','; write ','")
csv('tabs', 'id\tlabels\n1\tb\n2\tc\n', "bad.csv:1: fields are separated by", 'set the label format to tsv')
csv('where of no row', 'id,labels\n1,b\n2,c\n', 'true.tsv: no row has id=9', options='--where id=9')
csv('UTF-16', 'id,labels\n1,b\n'.encode('utf-16'), 'bad.csv: this is UTF-16; save it as UTF-8')
LEVELS = '--label-column l1 --label-column l2'
csv('wrong way in a path', 'id,l1,l2\n1,d,b\n', "bad.csv:2, instance '1': 'b' is not a child of 'd'", options=LEVELS)
def jsonl(name, content, *says, **more):
    labels(f'JSON lines: {name}', content, *says, file='bad.jsonl', **more)
GOOD = '{"id":"1","labels":["b"]}\n'
jsonl('an array', '[{"id":"1","labels":["b"]}]', 'bad.jsonl:1: every line must hold one whole JSON object')
labels('one line more', 'b\nc\nd\n', 'y_true has 2 instances and bad has 3', 'or ids to match them by', file='bad.txt')
jsonl('cut short', GOOD + '{"id":"2","lab', 'bad.jsonl:2: not JSON: Unterminated string')
jsonl('key misspelt', GOOD + '{"id":"2","lables":["c"]}', "bad.jsonl:2, instance '2': a label must be a name, got no key 'labels'")
jsonl('id a list', '{"id":["1"],"labels":["b"]}', 'bad.jsonl:1: an instance id must be a text or a whole')
jsonl('key twice', '{"id":"1","id":"2","labels":["b"]}', "bad.jsonl:1: the key 'id' occurs twice")
jsonl('endless nesting', '{"labels":' + '[' * 100000, 'bad.jsonl:1: the JSON is nested too deeply')
jsonl('half a character', '{"id":"1","labels":["\\udc00"]}', "bad.jsonl:1: '\\udc00' is half")
NAMES = np.array(['r', 'a', 'b', 'c', 'd'])
MATRIX = np.array([[0, 0, 1, 0, 0], [0, 0, 0, 1, 0]])
def packed(**arrays):
    out = io.BytesIO()
    np.savez(out, **arrays)
    return out.getvalue()
def npz(name, content, *says, file='bad.npz', **more):
    labels(f'NumPy: {name}', content, *says, file=file, truth='true.txt', **more)
npz('no classes', packed(m=MATRIX), 'bad.npz: which class is which column?', '--columns')
COLUMNS = {'options': '--columns cols.txt'}
npz('too few columns', packed(m=MATRIX), 'there are 3 classes for its columns', cols_txt='r\na\nb\n', **COLUMNS)
npz('classes are bytes', packed(m=MATRIX, classes=NAMES.astype('S')), 'bad.npz: row 1: class "b\'b\'" is not in the hierarchy')
npz('something else', packed(m=MATRIX, classes=NAMES, scores=np.ones(2)), 'expected one matrix beside classes and ids, got m, classes, scores')
PARTS = {'data': np.ones(2), 'indices': np.array([0, 1]), 'indptr': np.array([0, 1, 2]), 'shape': np.array([2, 5])}
for absent in PARTS:
    for form in ({'format': np.array('csr')}, {'format': np.array(b'csr')}, {}):
        wanted = ('no matrix of NumPy or scipy.sparse (names are texts, dtype str): ', absent) if form else ('expected one matrix beside',)
        npz(f'sparse, no {absent}, {form}', packed(**{k: v for k, v in PARTS.items() if k != absent}, **form), *wanted)
npz('blank id', packed(m=MATRIX, classes=NAMES, ids=np.array(['1', ''])), 'bad.npz: ids must be a text for each of 2 rows')
def table(**columns):
    out = io.BytesIO()
    pq.write_table(pa.table(columns), out)
    return out.getvalue()
labels('Parquet: ids are fractions', table(id=[1.0], labels=['b']), 'bad.parquet: row 1: an instance id must be', 'got 1.0', file='bad.parquet')
row('stdin: twice', {}, 'score - - one.tsv', 'only one file can be read from standard input')
row('stdin: empty', {}, 'score tree.tsv - one.tsv', '-: the file is empty')
row('stdin: NUL', {}, 'score tree.tsv - one.tsv', '-:1: a NUL byte', stdin=b'1\tb\x00')
row('stdin: unknown class', {}, 'score tree.tsv true.tsv -', "-:2, instance '2': class 'cc'", stdin=b'1\tb\n2\tcc\n')
row('stdin: gzip cut short', {}, 'score tree.tsv - one.tsv', '-: the gzip file is damaged', stdin=gzip.compress(b'1\tb\n')[:-4])
def score(options, *says, files=None):
    row(f'score: {options}', files or {}, f'score tree.tsv true.tsv one.tsv {options}', *says)
for verb in ('score', 'check', 'compare', 'explain', 'curve', 'report'):
    for files in ("'' true.tsv one.tsv", "tree.tsv '' one.tsv", "tree.tsv true.tsv ''", "''"):
        row(f'{verb} {files}', {}, f'{verb} {files}', 'the name of a file is empty')
row('verb missing', {}, '', 'name a verb, such as score; see hierpair --help')
row('verb misspelt', {}, 'scor tree.tsv', "there is no verb 'scor'; did you mean 'score'?")
row('score: no files', {}, 'score', 'give a hierarchy, a truth and at least one file of predictions')
score('--tree x.tsv', 'there is no option --tree; files are named without options, the hierarchy first; see hierpair')
for asked in ('--agreement', '--power', '--differ one,b', '--sensitivity'):
    row(f'compare: {asked} of runs', {}, f'compare tree.tsv true.tsv one.tsv b=true.tsv --runs A=one,b {asked}',
        f'{asked.split()[0]} cannot be given with --runs')  # fmt: skip
row('compare: no rows', {}, 'compare tree.tsv true.tsv one.tsv b=true.tsv --differ one,b --top 0',
    "--top must be a whole number of at least 1, got '0'")  # fmt: skip
row('compare: an agreement misspelt', {}, 'compare --agreement kendal tree.tsv true.tsv one.tsv b=true.tsv',
    "--agreement must be one of kendall_b, kendall_a, spearman, got 'kendal'; did you mean")  # fmt: skip
for view in ('agreement', 'clusters', 'power', 'depth'):
    row(f'compare: --view {view} of runs', {}, f'compare tree.tsv true.tsv one.tsv b=true.tsv --runs A=one,b --view {view}',
        f'--runs cannot be given with --view {view}')  # fmt: skip
score('--mesures hf', "there is no option --mesures; did you mean '--measures'?", 'see hierpair')
score('--hierarchy-levels a --hierarchy-levels b', '--hierarchy-levels is given twice; write one list, with commas')
score('--columns true.tsv', '--columns names the columns of an npz matrix, and no file is one')
score('--jobs -2', '--jobs must be at least 1, got -2')
score('--set cost=hop', "unknown cost 'hop'", "did you mean 'hops'?")
for given in ('decayed(w1=1)', 'decayed' + '(' * 300):
    score(f"--set 'cost={given}'", 'cannot read the cost', 'write it like decayed(w0=0.5)')
for kind, content, says in (('matrix', 'true\tpredicted\tcost\nb\tc\t2\n', "bad.tsv has no cost for true 'd'"), ('matrix', '-\tb\tc\nb\t0\n', 'bad.tsv:2: expected a class and 2 costs, got 2 fields'), ('cosine', 'b\t1\tnan\n', "bad.tsv:1: 'nan' is not a finite number"), ('lin', 'b\t-1\n', 'bad.tsv:1: the count -1 is negative'), ('lin', 'b\t1\n', "class 'c' and all below it have the count 0")):
    row(f'score: {kind}, {says}', {'bad.tsv': content}, f'''score tree.tsv true.tsv one.tsv -m gie --set "cost={kind}('bad.tsv')"''', says)
score('-m f1', "there is no measure 'f1' alone; say which of them: ", 'hf')
score("-m 'hf(betta=2)'", "hf has no option 'betta'; did you mean 'beta'?")
for given in ('hf(beta=1+1)', 'hf(beta=2', ''):
    score(f"-m '{given}'", 'cannot read the measure', "like hf or hf(beta=2, average='micro')")
score("-m 'hf(augment=none, threshold=2)'", 'a path threshold cuts ancestors', "augment='none'")
score('-m tree_induced_error', "instance '2': the true classes 'd', 'c' must have at least 2 partners", '1 predicted and 2 true classes', 'measure tree_induced_error', 'system one')
score('--label-format table --long', 'true.tsv: this file was read as table, which has no named columns')
row('case: unknown', {}, 'score --case transposons', "there is no case 'transposons'; did you mean 'transposon'?")
row('system: name twice', {}, 'score tree.tsv true.tsv one.tsv one.tsv', "two systems are called 'one'; name them: one-2=one.tsv")
CONVERT = 'convert tree.tsv'
row('convert: no form', {}, CONVERT, 'and --to FORMAT')
row("convert: labels as a hierarchy's form", {}, f'{CONVERT} true.tsv --to json', "the format for writing labels must be one of", "got 'json'")
row('convert: lone class as edges', {'dag': 'child\tparent\na\t\n'}, 'convert dag --to edges', "class 'a' has no edge", 'write json')
row('convert: blank in a name', {'dag': 'r\ta b\n', 'l.tsv': '1\ta b\n'}, 'convert dag l.tsv --to lines', "class 'a b' holds ' '")
row('convert: a table of systems', {}, f'{CONVERT} true.tsv --to json --truth-column x', 'are for a table that is scored', '(--label-column)')
EXPLAIN = 'explain tree.tsv true.tsv one.tsv'
row('codes: other widths', {'codes': '01\n0101\n'}, 'convert codes --hierarchy-format codes --hierarchy-widths 2,1 --to json', 'the characters of each level (widths, --hierarchy-widths) are [2, 1]')
row('explain: picture in no folder', {}, f'{EXPLAIN} --picture no/x.svg', 'no/x.svg: cannot be written; name a file in a folder')
row('explain: picture over an input', {'one.svg': '1\tb\n2\tc\n'}, 'explain tree.tsv true.tsv one.svg --picture one.svg', 'one.svg: this file is read')
for line in (EXPLAIN, 'compare tree.tsv true.tsv one.tsv x=true.tsv', 'curve tree.tsv true.tsv s.tsv', 'examine -m hf'):
    row(f'{line}: one file for two', {}, f'{line} --picture x.svg -o ./x.svg', 'the picture and the output are the same file')
SCORE = 'score tree.tsv true.tsv one.tsv -m hf'
row('output: a folder', {'dir': FOLDER}, f'{SCORE} -o dir', 'dir: cannot be written; name a file in a folder that exists')
row('output: the columns', {'cols.txt': '\n'.join(NAMES), 'x.npz': packed(m=MATRIX)}, 'score tree.tsv true.txt x.npz --columns cols.txt -o cols.txt', 'cols.txt: this file is read')
row('output: a full disk', {}, f'{SCORE} -o /dev/full', '/dev/full: cannot be written (No space left on device)')
row('output: a name that is too long', {}, f'{SCORE} -o {"x" * 300}', 'cannot be written; name a file in a folder that exists')
row('output: no name', {}, f"{SCORE} -o ''", "'': cannot be written; name a file")
row('check: no files', {}, 'check', 'give a hierarchy to check, and labels, or a file that names them (--config)')
row('check: no such format', {}, 'check tree.tsv --hierarchy-format edgs', "the hierarchy format must be one of auto, edges", "did you mean 'edges'?")
def found(name, files, command, *says):
    row(f'check finds: {name}', files, f'check {command} --format tsv', *says, code=1)
found('no file', {}, 'none.tsv', 'error\tformat\tnone.tsv\tthere is no such file')
found('unknown class', {'bad.tsv': '1\tbb\n2\tc\n'}, 'tree.tsv true.tsv bad.tsv', "error\tunknown label\tbad.tsv:1\tinstance '1': class 'bb' is not", "did you mean 'b'?")
found('header only', {'bad.tsv': 'parent\tchild\n'}, 'bad.tsv', 'error\thierarchy\tbad.tsv\tthe hierarchy is empty')
found('cycle', {'bad.tsv': 'r a\na b\nb a\n'}, 'bad.tsv', "error\tcycle\tbad.tsv:3\tthe hierarchy has a cycle: 'a' → 'b' → 'a'", '--break-cycles')
found('broken lines, all of them', {'bad.tsv': '1\n2\n'}, 'tree.tsv bad.tsv --label-format table', '\tbad.tsv:1\texpected id TAB label|label', '\tbad.tsv:2\texpected id TAB label|label')
row('a ragged line among edges', {'tree.tsv': 'r\ta\nr\td\tb\na\tc\n'}, 'score tree.tsv true.tsv one.tsv -m hf', 'tree.tsv:2: a line of more than two fields', "where lines have the same parent 'r'", 'set the hierarchy format to taxonomy')
DAG = {'dag.tsv': 'r\ta\nr\tb\na\tc\nb\tc\nc\td\n', 't.tsv': '1\td\n', 'p.tsv': '1\td\n'}
HCM = 'score dag.tsv t.tsv p.tsv -m hcm_f'
row('a class with several root paths', DAG, HCM, "instance '1'", "'d' has 2 paths from the root", 'give the path', '--paths')
row('a field that is none', {}, "score tree.tsv true.tsv one.tsv -m 'hcm(xyz)'", "there is no measure 'hcm_xyz'")
row('a case without its data', {}, 'score --case germeval2019-a --data .', 'there is no folder germeval2019', 'do not come with hierpair', '--data or HIERPAIR_DATA')
def plugin(name, content, *says, options='-m mine', **files):
    row(f'plugin: {name}', {'p.py': content, **files}, f'score tree.tsv true.tsv one.tsv --plugin p.py {options}', *says)
score('-m gie --set average=weighted', "none of the measures can be averaged as 'weighted'")
score('--plugin one.tsv', 'one.tsv:1: SyntaxError: invalid syntax')
plugin('syntax', 'x = 1\ndef f(:\n', 'p.py:2: SyntaxError: invalid syntax')
plugin('raises', "\nraise RuntimeError('boom')\n", 'p.py:2: RuntimeError: boom')
plugin('annotated', "def f(x: int): 0\nraise TypeError(f.__annotations__['x'].__name__)\n", 'p.py:2: TypeError: int')
plugin('exits', 'import sys\nsys.exit(0)\n', 'p.py:2: SystemExit', options='-m hf')
def registered(name, arguments, signature, *says):
    plugin(name, f'from hierpair import *; from hierpair.pairing import *\n@pair_measure({arguments})\ndef mine({signature}):\n    return Rule(Hops(), ())\n', *says)
registered('name of two words', "name='my measure'", '', "p.py: a measure's name must be one word", "'my measure'")
registered('unknown average', "averages=('mean',)", '', "p.py: averages of measure 'mine'", "('mean',)")
def rule(name, cost, constraints, *says):
    plugin(name, f'from hierpair import *; from hierpair.pairing import *\nimport numpy as np\n@pair_measure\ndef mine():\n    return Rule({cost}, {constraints})\n', *says)
MINE = 'measure mine'
plugin('no rule', 'from hierpair import *; from hierpair.pairing import *\n@pair_measure\ndef mine(): pass\n', MINE, 'must return a Rule or a NetworkRule, got None')
plugin('its function fails', 'from hierpair import *\n@pair_measure\ndef mine(): 1 / 0\n', MINE, 'ZeroDivisionError', 'p.py:3')
plugin('its function exits', 'from hierpair import *\n@pair_measure\ndef mine(): raise SystemExit\n', 'a plugin ended the run')
rule('constraint without comma', 'Hops()', '(Cardinality(1))', MINE, 'constraints come as a tuple, (…,) for a single one')
def constraint(text, *says):
    rule(f'constraint {text}', 'Hops()', f'({text},)', MINE, *says)
constraint("Degree('true', 3)", "instance '1': the true class 'b' must have at least 3 partners and can get only 1")
constraint("Degree('true', 1, where=lambda labels: labels.x)", 'Degree failed: AttributeError', 'p.py:5')
constraint("Groups('true', 3, 1)", 'groups must be a callable on labels, got 3')
rule('a negative cost', 'lambda pairs: pairs.distance - 9', "(Degree('true', 1), Degree('predicted', 1))", MINE, "instance '1': the pair ('b', 'b') has the cost -9.0", 'number ≥ 0')
def formula(name, body, *says):
    plugin(f'formula {name}', f"from hierpair import *\n@set_measure(formula='', source='', direction='lower', range='')\ndef mine(n_true):\n    return {body}\n", MINE, *says)
formula('fails', '1 / 0', 'its formula failed: ZeroDivisionError', 'p.py:4')
formula('gives one number', '1', 'must give one finite number (or nan) per entry (2,)')

# ------------------------------------------------------------------------------ verb by verb

def lines(start, rows, **files):
    for options, *says in rows:
        row(f'{start} {options}', files, f'{start} {options}', *says)
GIVE = 'give a hierarchy, a truth and at least one file of predictions'
TWO = {'many.csv': 'id,gold,bert,svm\n1,b,b,c\n2,c,d,c\n', 'two.csv': 'id,x,y\n1,b,c\n', 'only.csv': 'id,gold\n1,b\n'}
lines('score tree.tsv', [
    ('many.csv --truth-column golt', "no column 'golt'; did you mean 'gold'?"),
    ('many.csv --system-columns gold', "the column 'gold' is the truth, and no system"),
    ('- --truth-column gold', 'are for one file, a table that holds the truth and the systems: give HIERARCHY TABLE'),
    ('two.csv', GIVE), ('only.csv', GIVE), ('typo.csv', 'hierpair: typo.csv: there is no such file'),
    ('two.csv --system-columns y', 'which column is the truth? There are id, x, y'),
    ('true.tsv one.tsv --rows one:lable', "--rows must be one of instance, label, got 'lable'; did you mean 'label'?"),
    ('true.tsv one.tsv --label-format oen:csv', 'the label format must be one of'),
    ('true.tsv one.tsv -m hp --sort gie', 'was not scored'),
    ('true.tsv one.tsv --metric hf', 'measures are named with -m or --measures'),
    ('true.tsv one.tsv --by level --preset hemkit', '--preset cannot be given with --by level'),
    *((f'true.tsv one.tsv --by level {word}', f'{word.split()[0]} cannot be given with --by level')
      for word in ('--percent', '--transpose', '--rename one=x', '--signatures')),
    ('true.tsv one.tsv --by level --values v', 'hierpair: --by level needs files that are read whole'),
    ('true.tsv one.tsv --rename x=y', "there is no system or measure 'x' (there are one, hf"),
    ('true.tsv \x1b[31mp', '\\x1b[31mp: there are no files'),
], **TWO)
for verb in ('score', 'compare'):
    lines(f'{verb} tree.tsv true.tsv one.tsv two=true.tsv', [
        ('--percent --format csv', '--percent needs --format text'),
        ('--percent -m gie', 'share'), ('--rename three=x', "no system or measure 'three'"), ('--rename one=', 'NAME=VALUE'), ('--rename one=two', 'two systems would be called'), ('--rename gie=hf -m gie -m hf', 'two measures would be called'),
    ])
row('curve: means of no instances', {}, 'curve tree.tsv true.tsv one.tsv --average micro --norm gt', '--norm gt is about means over instances')
row('curve: more instances than the truth', {'s.tsv': '1\tb\t0.5\n2\tc\t0.5\n3\tc\t0.5\n'}, 'curve tree.tsv true.tsv s.tsv', "s: 1 instance has no truth, such as '3'")
BARS = 'score tree.tsv true.tsv bert=true.tsv svm=one.tsv -m hf -m gie'
lines(BARS, [
    ('--fail-under gie=2', 'lower values of gie are better; write --fail-over gie=2'),
    ('--fail-over hf=0.5', 'higher values of hf are better; write --fail-under hf=0.5'),
    ('--fail-under mgia=0.5', "'mgia' was not scored"),
])
def config(text, *says, alone=False):
    whole = text if alone else f'{text}\nhierarchy = "tree.tsv"\ntruth = "true.tsv"\nsystems = {{s = "one.tsv"}}\n'
    row(f'config: {text}', {'e.toml': whole}, 'score --config e.toml', *says)
config('measure = "hf"', "there is no option 'measure'; did you mean 'measures'?")
config("[set]\nrot = 'include'", "there is no convention 'rot'; did you mean 'root'?", alone=True)
config('measures = ["hf"]\nset = {root = "sideways"}', 'sideways')
config('[compare]\nalpa = 1', "[compare]: there is no option 'alpa'; did you mean 'alpha'?", alone=True)
config('quiet = 1', 'quiet must be true or false, got 1')
config('systems = "x"', 'systems must be a table', alone=True)
SIDES = 'hierarchy="tree.tsv"\ntruth="true.tsv"\n[systems]\n'
config(f'{SIDES}x = {{format = "csv"}}', 'systems.x must be a text', alone=True)
config('truth = "true.tsv"', 'give hierarchy, truth', alone=True)
config('hierarchy = "tree.tsv"\ntruth = ["true.tsv", true]', 'truth must be a text', alone=True)
row('config: none', {}, 'score --config no.toml', 'no.toml: there is no such file')
row('compare: case', {}, 'compare --case transposon -m hf -m gie -q', 'not the same objects for all systems')
TREE = Hierarchy.from_edges([('r', 'a'), ('a', 'b'), ('a', 'c'), ('r', 'd')])
TRUTH = {'1': ['b'], '2': ['c', 'd'], '3': ['d']}
SUMS = partial(TREE, TRUTH, {'bert': TRUTH, 'svm': {**TRUTH, '3': ['b']}}, ['hf', 'gie'], part='x', blocks=3).to_bytes()
EVERY = 'tests of values of instances, other effect sizes and BCa intervals need every instance'
lines('compare p.hp', [
    ('--sensitivity', '--sensitivity needs labels'),
    ('--test wilcoxon', EVERY),
    ('tree.tsv', 'tree.tsv: these bytes are no partial'),
    ('--set beta=2', '--set beta=2 makes other measures, and a partial has those that it was made'),
    ('--agreement --of instances', 'partial'),
], **{'p.hp': SUMS})
TURNED = partial(TREE, TRUTH, {'svm': TRUTH, 'bert': TRUTH}, ['hf', 'gie'], part='y', blocks=3).to_bytes()
lines('merge p.hp', [
    ('p.hp', 'p.hp and p.hp: a part is counted once: x'), ('turned.hp', 'p.hp and turned.hp: partials of different systems do not add up: one is of bert, svm, the other of svm, bert'), ('short.hp', 'short.hp: the bytes of a partial are damaged'),
    ('old.hp', 'old.hp: these bytes are no partial of version 6'), ('none.hp', 'none.hp: there is no such file'),
    ('-o p.hp', 'p.hp: this file is read'), ('--percent -o all.hp', '--percent needs --'),
], **{'p.hp': SUMS, 'turned.hp': TURNED, 'short.hp': SUMS[:-3], 'old.hp': SUMS.replace(b'partial 6', b'partial 4', 1)})
row('score: a partial', {'p.hp': SUMS}, 'score tree.tsv p.hp one.tsv', 'p.hp: this is a partial, the sums of scores; hierpair merge and compare')
row('partial: blocks without ids', {}, 'partial tree.tsv true.txt true.txt --blocks 2', 'blocks tells instances by their ids')
P = {'p.tsv': 'x\tb\t0.25\nx\tc\t0.4\nx\td\t0.35\n', 'nodes.tsv': 'x\ta\t0.65\nx\tb\t0.25\nx\tc\t0.4\nx\td\t0.35\n'}
lines('decode tree.tsv', [
    *((files, 'give a hierarchy and a file of probabilities, and one measure') for files in ('-m hf', 'p.tsv p.tsv -m hf')),
    ('nodes.tsv -m hf', '--over nodes is the other reading'),
    ('p.tsv --rule climb --samples 5', '--rule cannot be given with --samples'), ('p.tsv --rule climb --threshold 70', '--threshold must be in [0, 1], got 70'),
    ('p.tsv -m hf --distribution-format csv', 'the format of probabilities must be one of'),
], **P)
row('weights: one file', {}, 'weights tree.tsv', 'give a hierarchy, and a file of annotations')
lines('curve tree.tsv true.tsv s.tsv', [
    ('--classes odd.txt', "odd.txt:2: class 'z' is not in the hierarchy"), ('--classes empty.txt', 'classes: none of them counts'),
    ('--weights less.tsv', 'negative'), ('--weights endless.tsv', "'b' is in use and has the weight inf"),
    ('--by namespace', 'namespaces are read from an OBO file'),
], **{'s.tsv': '1\tb\t0.5\n2\tc\t0.25\n2\td\t0.75\n', 'odd.txt': 'a\nz\n', 'empty.txt': '\n', 'less.tsv': 'a\t1\nb\t-1\nc\t1\nd\t1\nr\t0\n', 'endless.tsv': 'a\t1\nb\tinf\nc\t1\nd\t1\nr\t0\n'})
lines('report -m hf -o out.html tree.tsv true.tsv', [
    ('one.tsv --texts t.csv --text-column txt', "t.csv: there is no column 'txt'; did you mean 'text'? (there are id, text"),
    ('one.tsv --texts t.jsonl --text-column body', "t.jsonl:2, instance '2': a label must be a name, got no key 'body' ([] for none)"),
    *((f'one.tsv --texts {x}', f"{x}:{n}: instance '1' already occurs at {x}:{n - 1}; keep one of its texts") for x, n in (('r.tsv', 2), ('r.csv', 3))),
], **{'r.tsv': '1\tone\n1\ttwo\n', 'r.csv': 'id,text\n1,one\n1,two\n', 't.csv': 'id,text\n1,one\n', 't.jsonl': '{"id": "1", "body": "of 1"}\n{"id": "2"}\n'})
for kind, text in {'deep': 'a = ' + '[' * 20_000 + ']' * 20_000, 'long': f"beta = {'9' * 5000}", 'hexadecimal': f"hierarchy = 0x{'f' * 90_000}"}.items():
    row(f'TOML: {kind}', {'x.toml': text}, 'score tree.tsv true.tsv one.tsv --config x.toml', 'x.toml')
    row(f'claims: {kind}', {'x.toml': text}, 'verify x.toml', 'x.toml')
for digits in (400, 5000):
    for file, text, line in (('t.json', '[["r", "a", {}]]', 'convert t.json --to json'),
                             ('d.jsonl', '{{"id": 1, "scores": {{"a": {}}}}}', 'decode tree.tsv d.jsonl -m hf'),
                             ('d.jsonl', '{{"id": 1, "scores": {{"a": {}}}}}', 'curve tree.tsv true.tsv d.jsonl'),
                             ('d.jsonl', '{{"id": 1, "scenarios": [{{"p": {}, "labels": ["a"]}}]}}', 'decode tree.tsv d.jsonl -m hf')):
        row(f'{digits} digits: {line}, {text[12:20]}', {file: text.format('9' * digits) + '\n'}, line, f'hierpair: {file}')
# fmt: on


def snapshot():
    """All files below the working folder, and what they hold."""
    return {p: p.read_bytes() if p.is_file() else None for p in Path().rglob("*")}


@pytest.mark.parametrize("given", ROWS.values(), ids=ROWS)
def test_a_broken_input_is_one_message_and_leaves_no_trace(given, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    write({**BASE, **given.files})
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(given.stdin)))
    before = snapshot()
    arguments = shlex.split(given.command)
    if given.code == 2 and arguments and "-o" not in arguments:
        arguments += ["-o", "out.txt"]
    code = main(arguments)
    out, err = capsys.readouterr()
    assert code == given.code, err
    assert snapshot() == before
    for unwanted in ("Traceback", "internal error", " at 0x", "<unknown>", "<frozen", "\x1b"):
        assert unwanted not in err
    if given.code == 2:
        assert out == ""
        lines = err.splitlines()
        assert [line.startswith("hierpair: ") for line in lines].count(True) == 1
        assert lines[-1].startswith("hierpair: ")
        assert len(lines[-1]) < 700
        shown = lines[-1]
    else:
        assert "hierpair: " not in err
        shown = out
    for part in given.says:
        assert part in shown
