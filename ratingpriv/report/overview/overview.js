"use strict";
// Sorting of tables and the choice of a side: additions. Without them everything is there.
(() => {
  const value = (row, column) => {
    const text = row.cells[column].textContent.trim();
    const found = text.replace(/,/g, "").match(/-?\d+(\.\d+)?/);
    if (!found) return [text === "" || text === "-" ? 2 : 1, text];
    const under = /^(under|fewer)/i.test(text) ? -1e-9 : 0;
    return [0, Number(found[0]) + under];
  };
  const compare = (a, b) => a[0] - b[0] || (a[1] < b[1] ? -1 : a[1] > b[1] ? 1 : 0);
  for (const table of document.querySelectorAll("table.sortable")) {
    const body = table.tBodies[0];
    if (body.rows.length < 2) continue;
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = head.textContent;
      button.title = "Sort by this column";
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") === "ascending";
        for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const rows = [...body.rows].map((row, place) => [value(row, column), place, row]);
        rows.sort((a, b) => (down ? -1 : 1) * compare(a[0], b[0]) || a[1] - b[1]);
        body.append(...rows.map((one) => one[2]));
      });
    });
  }
  for (const sides of document.querySelectorAll(".sides")) {
    const before = sides.querySelector(".before"), after = sides.querySelector(".after");
    const group = document.createElement("div");
    group.className = "choose";
    group.setAttribute("role", "group");
    group.setAttribute("aria-label", "Show the data, the release, or both");
    const shown = { "Both": [true, true], "The data": [true, false], "The release": [false, true] };
    for (const [name, [first, second]] of Object.entries(shown)) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = name;
      button.setAttribute("aria-pressed", String(name === "Both"));
      button.addEventListener("click", () => {
        before.hidden = !first;
        after.hidden = !second;
        for (const one of group.children) one.setAttribute("aria-pressed", String(one === button));
      });
      group.append(button);
    }
    sides.prepend(group);
  }
})();
