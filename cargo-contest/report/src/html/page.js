"use strict";
(() => {
  const $ = (id) => document.getElementById(id);

  // Dark or light: what the system says, until the button says otherwise. Files may have no storage.
  const root = document.documentElement;
  const remember = (value) => { try { localStorage.setItem("contest-theme", value); } catch { /* a file */ } };
  const recalled = () => { try { return localStorage.getItem("contest-theme"); } catch { return null; } };
  const known = recalled();
  if (known === "dark" || known === "light") root.dataset.theme = known;
  const toggle = () => {
    const dark = root.dataset.theme
      ? root.dataset.theme === "dark"
      : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    remember(root.dataset.theme);
  };
  $("theme").hidden = false;
  $("theme").addEventListener("click", toggle);

  // Copying works without permission to use the clipboard, too.
  const copy = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      const area = document.createElement("textarea");
      area.value = text;
      document.body.append(area);
      area.select();
      const done = document.execCommand("copy");
      area.remove();
      return done;
    }
  };
  for (const button of document.querySelectorAll("button[data-copy]")) {
    const label = button.textContent;
    button.hidden = false;
    button.addEventListener("click", async () => {
      const done = await copy($(button.dataset.copy).textContent);
      button.textContent = done ? "Copied" : "Select and copy by hand";
      setTimeout(() => { button.textContent = label; }, 1500);
    });
  }

  const list = $("steps");
  if (!list) {
    addEventListener("keydown", (event) => { if (plain(event) && event.key === "t") toggle(); });
    return;
  }
  const lanes = $("lanes");
  const steps = [...list.querySelectorAll(".step")];
  const position = new Map(steps.map((step, at) => [step, at]));

  // Arrows between the rows on the screen. What is in a closed fold is drawn at the fold.
  const NS = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(NS, "svg");
  svg.setAttribute("class", "arrows");
  svg.setAttribute("aria-hidden", "true");
  lanes.append(svg);
  const linksOf = new Map();
  for (const step of list.querySelectorAll(".step[data-l]")) {
    const to = position.get(step);
    linksOf.set(to, step.dataset.l.split(" ").map((text) => {
      const [kind, number] = text.split(":");
      return { kind, from: Number(number) - 1, to };
    }));
  }
  const off = new Set();
  const seen = new Set();
  let current = 0; // 0: all; else the number of the step

  const anchor = (at) => {
    const details = steps[at].parentElement.closest("details");
    const row = details && !details.open ? details.querySelector("summary") : steps[at];
    const cell = row.querySelector(".cell");
    const box = cell.getBoundingClientRect();
    const frame = lanes.getBoundingClientRect();
    const x = -frame.left + lanes.scrollLeft;
    // Beside the text of the event: its first line.
    const text = cell.querySelector(".ev")?.getClientRects()[0];
    return {
      left: box.left + x + 24,
      right: (text ? text.right : box.left + 40) + x + 4,
      y: (text ? (text.top + text.bottom) / 2 : box.top + 14) - frame.top,
    };
  };
  const shape = (name, attributes) => {
    const element = document.createElementNS(NS, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    return element;
  };
  const draw = () => {
    const shapes = [];
    for (const at of seen) {
      for (const link of linksOf.get(at) || []) {
        if (off.has(link.kind) || (current > 0 && link.to > current - 1)) continue;
        const from = anchor(link.from);
        const to = anchor(link.to);
        if (from.left === to.left && from.y === to.y) continue;
        const right = to.left > from.left;
        const start = right ? from.right : from.left;
        const end = right ? to.left - 7 : to.right + 7;
        const bend = Math.max(20, Math.abs(end - start) * 0.4) * (right ? 1 : -1);
        const path = `M${start} ${from.y}C${start + bend} ${from.y} ${end - bend} ${to.y} ${end} ${to.y}`;
        shapes.push(shape("path", { d: path, class: `a-${link.kind}` }));
        const tip = right ? 7 : -7;
        shapes.push(shape("polygon", {
          points: `${end + tip},${to.y} ${end},${to.y - 4} ${end},${to.y + 4}`,
          class: `a-${link.kind}`,
        }));
      }
    }
    svg.replaceChildren(...shapes);
  };
  let asked = false;
  const later = () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => { asked = false; draw(); });
  };
  const watcher = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      for (const step of entry.target.querySelectorAll(".step[data-l]")) {
        const at = position.get(step);
        if (entry.isIntersecting) seen.add(at); else seen.delete(at);
      }
    }
    later();
  }, { rootMargin: "400px 0px" });
  if (linksOf.size > 0) {
    for (const chunk of list.children) watcher.observe(chunk);
    new ResizeObserver(later).observe(lanes);
    addEventListener("scroll", later, { passive: true });
    lanes.addEventListener("scroll", later, { passive: true });
    list.addEventListener("toggle", later, true);
  }
  for (const box of document.querySelectorAll(".legend input")) {
    box.addEventListener("change", () => {
      if (box.checked) off.delete(box.dataset.kind); else off.add(box.dataset.kind);
      later();
    });
  }

  // Going through the steps.
  const locks = [...document.querySelectorAll(".legend > li")]
    .filter((item) => item.querySelector("i[class*='key k']"))
    .map((item) => item.textContent.replace(/ held$/, ""));
  const threads = [...$("threads").children].map((item) => item.lastElementChild);
  const laneOf = steps.map((step) => Number(step.dataset.t));
  const lane = (at) => laneOf[at];
  const event = (at) => steps[at].querySelector(".ev")?.textContent || "";
  const texts = (to) => {
    const states = threads.map(() => ({ held: "" }));
    // The last step of each thread says it all.
    let missing = threads.length;
    for (let at = to - 1; at >= 0 && missing > 0; at -= 1) {
      const state = states[lane(at)];
      if (state.at !== undefined) continue;
      const held = (steps[at].dataset.h || "").split(" ").filter(Boolean);
      state.at = at;
      state.result = steps[at].querySelector(".res")?.textContent;
      state.held = held.map((n) => locks[Number(n)]).join(", ");
      missing -= 1;
    }
    return states.map((state) => {
      if (state.at === undefined) return "has not begun";
      const did = state.result && !state.result.startsWith("<") ? state.result : `at step ${state.at + 1}`;
      const hangs = state.result === "<hung>" ? ", cannot go on" : "";
      return did + hangs + (state.held ? `; holds ${state.held}` : "");
    });
  };
  const slider = $("slider");
  const show = (to, scroll) => {
    const target = Math.max(0, Math.min(steps.length, to));
    const before = current === 0 ? steps.length : current;
    const after = target === 0 ? steps.length : target;
    for (let at = Math.min(before, after); at < Math.max(before, after); at += 1) {
      steps[at].classList.toggle("later", at >= after);
    }
    if (current > 0) {
      steps[current - 1].classList.remove("current");
      steps[current - 1].removeAttribute("aria-current");
    }
    current = target;
    slider.value = String(target);
    if (target === 0) {
      $("now").textContent = `All ${steps.length} steps. Arrow keys go through them.`;
      slider.setAttribute("aria-valuetext", "all steps");
    } else {
      const step = steps[target - 1];
      const details = step.parentElement.closest("details");
      if (details) details.open = true;
      step.classList.add("current");
      step.setAttribute("aria-current", "step");
      const who = step.querySelector(".sr").textContent;
      $("now").textContent = `Step ${target} of ${steps.length}: ${who}${event(target - 1)}`;
      slider.setAttribute("aria-valuetext", $("now").textContent);
      if (scroll) step.scrollIntoView({ block: "nearest" });
    }
    texts(target === 0 ? steps.length : target).forEach((text, n) => { threads[n].textContent = text; });
    const link = target > 0 ? steps[target - 1].querySelector("a.loc") : null;
    const figure = link && $(link.getAttribute("href").slice(1));
    $("peek").replaceChildren(...(figure ? [figure.querySelector("pre").cloneNode(true)] : []));
    $("back").disabled = target === 0;
    $("next").disabled = target === steps.length;
    later();
  };
  const nextSwitch = () => {
    for (let at = Math.max(current, 1); at < steps.length; at += 1) {
      if (lane(at) !== lane(at - 1)) return show(at + 1, true);
    }
    return show(steps.length, true);
  };
  const moves = {
    first: () => show(1, true),
    back: () => show(current - 1, true),
    next: () => show(current + 1, true),
    switch: nextSwitch,
    all: () => show(0, false),
  };
  for (const [id, move] of Object.entries(moves)) $(id).addEventListener("click", move);
  slider.addEventListener("input", () => show(Number(slider.value), true));
  list.addEventListener("click", (event) => {
    if (event.target.closest("a, summary") || String(getSelection())) return;
    const step = event.target.closest(".step");
    if (step) show(position.get(step) + 1, false);
  });
  const keys = {
    ArrowRight: moves.next, j: moves.next, ArrowLeft: moves.back, k: moves.back, Home: moves.first,
    End: () => show(steps.length, true), n: nextSwitch, Escape: moves.all, t: toggle,
  };
  function plain(event) {
    const typing = event.target.closest?.("input:not([type=checkbox]), textarea, select");
    return !event.ctrlKey && !event.metaKey && !event.altKey && !typing;
  }
  addEventListener("keydown", (event) => {
    const move = plain(event) && keys[event.key];
    if (!move) return;
    event.preventDefault();
    move();
  });
  const byAddress = () => {
    const number = /^#s(\d+)$/.exec(location.hash);
    if (number) show(Number(number[1]), true);
  };
  addEventListener("hashchange", byAddress);
  $("dock").hidden = false;
  show(0, false);
  byAddress();
  // The first arrows do not wait until the browser says what is on the screen.
  let chunk = steps[Math.max(current - 1, 0)];
  while (chunk && chunk.parentElement !== list) chunk = chunk.parentElement;
  for (const step of chunk?.querySelectorAll(".step[data-l]") ?? []) seen.add(position.get(step));
  draw();
})();
