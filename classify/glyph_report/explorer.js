// The interface: a character and its look-alikes, the table, groups, worksheets.
const leafglyphExplorer = (() => {
  "use strict";
  const {characters, places, facts, fonts, similar, readings, language, groups} = leafglyphData;
  const {text} = language;
  const kGroups = 40;  // shown at a time
  const kLines = 60;   // of a worksheet
  const kCommon = 300;  // as often as this a character is counted that is common
  const id = (name) => document.getElementById(name);
  let chosen = -1, compared = null, listed = [], listLabel = ["", {}], said = ["", {}];
  // Pixels are what is compared; people read outlines, best those of a Kai ti.
  const usual = Math.max(fonts.findIndex(({family, pixels}) => !pixels && /kai|楷/i.test(family)),
                         fonts.length > 1 ? 1 : 0);
  let shownGroups = kGroups, font = fonts[usual], lines = [];

  const svg = (paths) => `<svg viewBox="0 0 ${font.side} ${font.side}" aria-hidden="true"` +
      `${font.pixels ? ' shape-rendering="crispEdges"' : ""}>${paths}</svg>`;
  const drawing = (place) => svg(`<path fill="currentColor" d="${font.path(place)}"></path>`);
  // Two characters in two colours; shared parts have both.
  const overlay = (one, other) => svg(`<path class="one" d="${font.path(one)}"></path>` +
      `<path class="other" d="${font.path(other)}"></path>`);
  const named = (place) => `<b lang="zh-Hans">${characters[place]}</b>`;
  const button = (place, html, label) => {
    const made = document.createElement("button");
    made.type = "button";
    made.innerHTML = html;
    if (label !== undefined) made.setAttribute("aria-label", label);
    made.addEventListener("click", () => choose(place));
    return made;
  };
  const item = (...children) => {
    const made = document.createElement("li");
    made.append(...children);
    return made;
  };
  const line = (content, lang) => {
    const made = document.createElement("p");
    made.textContent = content;
    if (lang) made.lang = lang;
    return made;
  };
  const known = (place) => {
    const {strokes, radical, frequency, meaning} = facts[place];
    return [readings(place), strokes > 0 ? text("glyph.strokes", {strokes, radical}) : "",
            frequency > 0 ? text("explorer.counted", {frequency}) : "", meaning];
  };

  const chipItems = (list) => list.map((place) => {
    const reading = readings(place);
    return item(button(place, named(place),
                       reading === "" ? characters[place] : `${characters[place]}, ${reading}`));
  });
  // Buttons for several characters, such as those of a sentence.
  const chips = (list, key, name, values = {}) => {
    id(`${name}-label`).textContent = list.length > 0 ? text(key, values) : "";
    id(name).replaceChildren(...chipItems(list));
  };
  const list = (found, key = "", values = {}) => {
    listed = found;
    listLabel = [key, values];
    chips(...[listed, key, "chips", values]);
  };
  const say = (key = "", values = {}) => {
    said = [key, values];
    id("message").textContent = key === "" ? "" : text(key, values);
  };

  const drawOverlay = () => {
    id("overlay").innerHTML = compared === null ? "" : overlay(chosen, compared);
    id("overlay").setAttribute("aria-label", compared === null ? text("explorer.overlay")
        : text("explorer.both", {first: characters[chosen], second: characters[compared]}));
  };
  const answer = ({place, score}) => {
    const made = item(button(place, drawing(place) +
        `<span class="caption">${named(place)} <span>${language.number(score, 2)}</span></span>` +
        `<span class="meter"><i><b style="width:${100 * score}%"></b></i></span>`));
    const compare = () => {
      compared = place;
      drawOverlay();
    };
    made.addEventListener("pointerenter", compare);
    made.addEventListener("focusin", compare);
    return made;
  };
  const drawChosen = () => {
    id("chosen").innerHTML = drawing(chosen) +
        `<h3 lang="zh-Hans">${characters[chosen]}</h3><p>${leafglyphData.unicode(chosen)}</p>` +
        (leafglyphData.gb(chosen) ? `<p>GB2312 ${leafglyphData.gb(chosen)}</p>` : "");
    const [reading, strokes, counted, meaning] = known(chosen);
    id("chosen").append(...[reading, strokes, counted].filter(Boolean).map((fact) => line(fact)),
                        ...(meaning ? [line(meaning, "en")] : []));
    id("answers").replaceChildren(...similar(chosen).map(answer));
    drawOverlay();
  };
  const show = (place) => {
    chosen = place;
    compared = similar(place)[0]?.place ?? null;
    say();
    if (leafglyphData.find(id("wanted").value) !== place) id("wanted").value = characters[place];
    drawChosen();
    const row = leafglyphData.rowOf(place);
    if (Number(id("row").value) !== row) fillRow(row);
    markCurrent();
  };
  const choose = (place) => {
    const address = "#" + encodeURIComponent(characters[place]);
    if (location.hash === address) show(place); else location.hash = address;
    id("chosen").scrollIntoView({block: "nearest"});
  };

  const markCurrent = () => {
    for (const cell of id("all").children)
      cell.setAttribute("aria-current", String(Number(cell.dataset.place) === chosen));
  };
  const fillRow = (row) => {
    id("row").value = row;
    const cells = [];
    characters.forEach((character, place) => {
      if (leafglyphData.rowOf(place) !== row) return;
      const cell = button(place, drawing(place), character);
      cell.title = character;
      cell.dataset.place = place;
      cells.push(cell);
    });
    id("all").replaceChildren(...cells);
    markCurrent();
  };
  const rows = new Map();
  characters.forEach((_, place) => {
    const row = leafglyphData.rowOf(place);
    if (!rows.has(row)) rows.set(row, place);
  });
  const option = (value, label) => Object.assign(document.createElement("option"),
                                                 {value, textContent: label});
  id("row").append(...[...rows].map(([row, first]) =>
      option(row, `${leafglyphData.rowName(row)}: ${characters[first]} ...`)));
  id("row").addEventListener("change", () => fillRow(Number(id("row").value)));

  const drawGroups = () => {
    id("groups-list").replaceChildren(...groups.slice(0, shownGroups).map(({members, score}) => {
      const chipsOf = document.createElement("ul");
      chipsOf.className = "chips";
      chipsOf.append(...chipItems(members));
      return item(chipsOf, line(text("groups.score", {score: language.number(score, 2)})));
    }));
    id("groups-none").hidden = groups.length > 0;
    id("groups-more").hidden = shownGroups >= groups.length;
  };
  id("groups-more").addEventListener("click", () => {
    const first = shownGroups;
    shownGroups += kGroups;
    drawGroups();
    id("groups-list").children[first].querySelector("button").focus();
  });

  // The characters of the text, or the one that is shown.
  const practised = () => listed.length > 0 ? listed : [chosen];
  const drawWorksheet = () => {
    id("worksheet").replaceChildren(...practice.sheet(lines, (place) => {
      const made = document.createElement("span");
      made.innerHTML = drawing(place);
      return made;
    }, {note: readings, traced: 5}));
    id("worksheet-part").hidden = lines.length === 0;
  };
  id("worksheet-make").addEventListener("click", () => {
    lines = practised().slice(0, kLines).map((place) =>
        [place, ...similar(place).slice(0, 3).map((one) => one.place)]);
    drawWorksheet();
    id("worksheet-part").scrollIntoView({block: "nearest"});
  });
  id("worksheet-print").addEventListener("click", () => print());
  id("anki").addEventListener("click", () => {
    const alike = (place) => similar(place).map((one) => one.place)
        .map((other) => [characters[other], readings(other)].filter(Boolean).join(" ")).join(", ");
    practice.save("characters.txt", "text/plain", practice.anki(practised().map((place) => ({
      character: characters[place],
      lines: [...known(place), text("anki.alike", {characters: alike(place)})]}))));
  });

  const ask = (complain) => {
    const wanted = id("wanted").value, place = leafglyphData.find(wanted);
    const inText = leafglyphData.allOf(wanted);
    const read = place === undefined ? leafglyphData.withPinyin(wanted) : [];
    if (place !== undefined) {
      choose(place);
      list(inText.length > 1 ? inText : [], "glyph.in_text");
    } else if (read.length > 0) {
      list(read, "glyph.read", {pinyin: wanted.trim()});
      if (complain) choose(read[0]);
    } else {
      list([]);
      if (complain) say(wanted.trim() === "" ? "explorer.empty" : "explorer.none", {text: wanted});
    }
  };
  id("ask").addEventListener("submit", (event) => { event.preventDefault(); ask(true); });
  let composing = false;
  id("wanted").addEventListener("compositionstart", () => { composing = true; });
  id("wanted").addEventListener("compositionend", () => { composing = false; ask(false); });
  id("wanted").addEventListener("input", () => { if (!composing) ask(false); });
  id("wanted").addEventListener("focus", () => id("wanted").select());
  id("random").addEventListener("click",
      () => choose(Math.floor(Math.random() * characters.length)));
  // Arrow keys move through the characters of a list.
  for (const name of ["answers", "all", "groups-list"]) {
    id(name).addEventListener("keydown", (event) => {
      const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
      if (!step) return;
      const buttons = [...id(name).querySelectorAll("button")];
      buttons[buttons.indexOf(document.activeElement) + step]?.focus();
    });
  }

  id("font").append(...fonts.map((one, place) => option(place, one.family)));
  id("font").value = usual;
  id("font").addEventListener("change", () => {
    font = fonts[Number(id("font").value)];
    drawChosen();
    fillRow(Number(id("row").value));
    drawWorksheet();
  });

  const follow = () => {
    let wanted = "";
    try { wanted = decodeURIComponent(location.hash.slice(1)); } catch { wanted = ""; }
    const place = places.get(wanted);
    if (place !== undefined) show(place);
    return place !== undefined;
  };
  addEventListener("hashchange", follow);
  // At first the pair with the highest score, of common characters if there is one.
  const best = (all) => all.reduce((before, place) =>
      (similar(place)[0]?.score ?? 0) > (similar(before)[0]?.score ?? 0) ? place : before, all[0]);
  const isCommon = (place) => facts[place].frequency >= kCommon;
  if (!follow()) {
    const all = characters.map((_, place) => place);
    const common = all.filter((place) => isCommon(place) && similar(place)[0] && isCommon(similar(place)[0].place));
    show(best(common.length > 0 ? common : all));
  }
  // The frame of the page, from the names of its parts.
  const frame = {h1: "explorer.title", ".eyebrow": "explorer.eyebrow", ".lead": "characters.lead",
                 ".skip": "skip"};
  for (const part of ["similar", "browse", "groups", "about"]) {
    frame[`nav a[href="#${part}"]`] = `${part}.menu`;
    frame[`#${part}-title`] = `${part}.title`;
  }
  language.onLanguage(() => {
    for (const [part, key] of Object.entries(frame))
      document.querySelector(part).textContent = text(key);
    document.title = text("explorer.title") + " - LeafGlyph";
    id("font").options[0].textContent = text("explorer.pixels", fonts[0]);
    say(...said);
    list(listed, ...listLabel);
    drawChosen();
    drawGroups();
  });
  language.start(id("language"));
  return {id, text, chips};
})();
