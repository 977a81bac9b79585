"use strict";
for (const table of document.querySelectorAll("table[data-sortable]")) {
  const body = table.tBodies[0];
  const value = (row, column) => {
    const cell = row.cells[column];
    return "value" in cell.dataset ? Number(cell.dataset.value) : cell.textContent.trim();
  };
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    if (!head.textContent.trim()) return;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const down = head.ariaSort === "ascending" ||
        (!head.ariaSort && head.classList.contains("number"));
      for (const other of heads) other.removeAttribute("aria-sort");
      head.ariaSort = down ? "descending" : "ascending";
      const sign = down ? -1 : 1;
      const rows = [...body.rows].sort((a, b) => {
        const x = value(a, column), y = value(b, column);
        return sign * (typeof x === "number" ? x - y : x.localeCompare(y));
      });
      body.append(...rows);
    });
  });
}
for (const box of document.querySelectorAll(".filter")) {
  const input = box.querySelector("input");
  const items = document.querySelectorAll(input.dataset.filter);
  box.hidden = false;
  input.addEventListener("input", () => {
    const wanted = input.value.trim().toLowerCase();
    for (const item of items) item.hidden = !item.textContent.toLowerCase().includes(wanted);
  });
}
