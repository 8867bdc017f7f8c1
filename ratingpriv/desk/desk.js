"use strict";
// sliders: what stands beside them comes from the server, and the newest answer counts
const $ = id => document.getElementById(id);
const sliders = $("sliders");
let asked = 0, timer = 0;
const query = () => {
  const data = new URLSearchParams(new FormData(sliders));
  for (const [name, value] of [...data]) if ((name === "l" || name === "m") && +value === 0) data.delete(name);
  return data;
};
const refresh = async touched => {
  const mine = ++asked, data = query();
  let text;
  try {
    const answer = await fetch(sliders.dataset.panel + "?" + data);
    text = await answer.text();
    if (mine !== asked || !answer.ok) return;
  } catch { return ended(); }
  const focused = document.activeElement?.id;
  $("panel").innerHTML = text;
  if (focused && document.activeElement?.id !== focused) $(focused)?.focus();
  if (touched) {
    history.replaceState(null, "", "/choose?" + data);
    for (const link of document.querySelectorAll(".bar nav a")) link.search = link.pathname === "/columns" ? "" : data;
  }
  performance.mark("panel");
};
const show = slider => {
  const out = $(slider.id + "-out");
  if (slider.dataset.values) {
    const value = slider.dataset.values.split(" ")[slider.value];
    $(slider.id + "-value").value = out.textContent = value;
    slider.setAttribute("aria-valuetext", value);
  } else out.textContent = +slider.value === 0 && slider.dataset.zero ? slider.dataset.zero : slider.value;
};
if (sliders) {
  document.addEventListener("input", event => {
    const ranged = event.target.type === "range";
    if (!ranged && event.target.name !== "face") return;
    if (ranged) show(event.target);
    clearTimeout(timer);
    timer = setTimeout(refresh, 20, true);
  });
  // a cell of the map, or a recommendation, sets both sliders without another page
  document.addEventListener("click", event => {
    const link = event.target.closest(".cells a, a.choose");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const chosen = new URL(link.href).searchParams, values = $("epsilon").dataset.values.split(" ");
    $("k").value = chosen.get("k");
    $("epsilon").value = values.indexOf(chosen.get("epsilon"));
    show($("k")); show($("epsilon"));
    refresh(true).then(() => document.querySelector(".cells .here a")?.focus());
  });
  // in the map, arrows go from cell to cell
  const steps = {ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0]};
  document.addEventListener("keydown", event => {
    const cell = event.target.closest?.(".cells td"), step = steps[event.key];
    if (!cell || !step) return;
    event.preventDefault();
    const row = cell.parentElement, rows = [...row.parentElement.rows];
    rows[rows.indexOf(row) + step[0]]?.cells[cell.cellIndex + step[1]]?.querySelector("a")?.focus();
  });
}
// long work: how far it is, what came of it on the way, and its end
const ended = () => {
  const main = $("content"), said = document.createElement("p");
  said.className = "problem"; said.setAttribute("role", "alert");
  said.textContent = "The desk does not answer: it was ended. Start it again where you started it.";
  if (!main.querySelector("[role=alert]")) main.prepend(said);
};
const box = $("job");
const look = async () => {
  let job;
  try { job = await (await fetch("/job")).json(); } catch { return ended(); }
  if (job.state !== "running") return location.reload();
  $("job-title").textContent = job.title;
  $("job-what").textContent = `${job.what}${job.seconds > 2 ? `, ${job.seconds} s` : ""}`;
  const bar = $("job-bar");
  if (job.total) { bar.max = job.total; bar.value = job.done; } else bar.removeAttribute("value");
  if (`${job.news}` !== box.dataset.news) {
    box.dataset.news = job.news;
    if (sliders) refresh(location.search.length > 1);
    else if (document.querySelector("[data-wait]")) return location.reload();
  }
  setTimeout(look, 300);
};
if (box?.dataset.state === "running") look();
document.addEventListener("submit", event => {
  if (!("quiet" in event.target.dataset)) return;
  event.preventDefault();
  fetch(event.target.action, {method: "POST", headers: {"Content-Type": "application/x-www-form-urlencoded"}, body: ""});
});
// a file that is chosen or dropped is sent as it is
const drop = $("drop");
if (drop) {
  const send = file => file && fetch(`${drop.dataset.open}?name=${encodeURIComponent(file.name)}`, {
    method: "POST", headers: {"Content-Type": "application/octet-stream"}, body: file, redirect: "manual",
  }).then(() => { location = "/columns"; }, ended);
  $("chosen").addEventListener("change", event => send(event.target.files[0]));
  for (const name of ["dragover", "dragleave", "drop"]) document.addEventListener(name, event => {
    event.preventDefault();
    drop.classList.toggle("over", name === "dragover");
    if (name === "drop") send(event.dataTransfer.files[0]);
  });
}
// the picture: what a node is tied to stays dark, and a click asks who is near it
const figure = document.querySelector(".graph");
const nodes = [...document.querySelectorAll(".graph .node")], edges = [...document.querySelectorAll(".graph .edge")];
for (const node of nodes) {
  const said = node.querySelector("title").textContent, person = said.startsWith("record");
  const label = [node.querySelector("text")?.textContent, said].filter(Boolean).join("; ");
  const on = () => {
    const near = new Set([node.dataset.key]);
    for (const edge of edges) {
      const ends = edge.dataset.ends.split(" "), of = ends.includes(node.dataset.key);
      edge.classList.toggle("faint", !of);
      if (of) ends.forEach(key => near.add(key));
    }
    nodes.forEach(one => one.classList.toggle("faint", !near.has(one.dataset.key)));
    $("pointed").textContent = `${said}; tied to ${near.size - 1} here`;
  };
  const off = () => { [...nodes, ...edges].forEach(one => one.classList.remove("faint")); $("pointed").textContent = ""; };
  const open = () => {
    const place = `query=browse/record-and-near&node=${figure.dataset.picture}.${node.dataset.key}`;
    if (person) location = `${figure.dataset.near}&${place}`;
  };
  node.setAttribute("tabindex", "0"); node.setAttribute("role", person ? "link" : "img"); node.setAttribute("aria-label", label);
  for (const name of ["mouseenter", "focus"]) node.addEventListener(name, on);
  for (const name of ["mouseleave", "blur"]) node.addEventListener(name, off);
  node.addEventListener("click", open);
  node.addEventListener("keydown", event => { if (event.key === "Enter") open(); });
}
if (nodes.length) document.querySelector(".graph svg").setAttribute("role", "group");
// the role of a column decides which of its fields there are
for (const role of document.querySelectorAll(".col select"))
  role.addEventListener("change", () => { role.closest(".col").className = `col role-${role.value}`; });
