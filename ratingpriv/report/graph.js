
"use strict";
const nodes = [...document.querySelectorAll(".graph .node")];
const edges = [...document.querySelectorAll(".graph .edge")];
const said = document.getElementById("pointed");
const ends = edge => edge.dataset.ends.split(" ");
const show = node => {
  const near = new Set([node.dataset.key]);
  for (const edge of edges) {
    const of = ends(edge).includes(node.dataset.key);
    edge.classList.toggle("faint", !of);
    if (of) ends(edge).forEach(key => near.add(key));
  }
  nodes.forEach(one => one.classList.toggle("faint", !near.has(one.dataset.key)));
  const others = near.size - 1;
  said.textContent = node.querySelector("title").textContent + "; tied to " + others +
    (others === 1 ? " other" : " others") + " here";
};
const rest = () => {
  [...nodes, ...edges].forEach(one => one.classList.remove("faint"));
  said.textContent = "";
};
for (const node of nodes) {
  node.setAttribute("tabindex", "0");
  node.setAttribute("role", "img");
  node.setAttribute("aria-label", node.querySelector("title").textContent);
  node.addEventListener("mouseenter", () => show(node));
  node.addEventListener("mouseleave", rest);
  node.addEventListener("focus", () => show(node));
  node.addEventListener("blur", rest);
}
if (nodes.length) {
  const drawing = document.querySelector(".graph svg");
  drawing.setAttribute("role", "group");
}
