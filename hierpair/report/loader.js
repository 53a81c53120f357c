(async () => {
  "use strict";
  const text = document.getElementById("code").textContent;
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const script = document.createElement("script");
  script.textContent = await new Response(plain).text();
  document.body.append(script);
})().catch((fault) => {
  const said = document.createElement("p");
  said.className = "warnings";
  said.setAttribute("role", "alert");
  said.textContent = `Only what is below can be shown: ${fault.message}`;
  document.getElementById("main").prepend(said);
});
