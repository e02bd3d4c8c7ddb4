// Draws the charts of a report and keeps them in step with the controls. All
// text goes in as text nodes, so names cannot become elements.
"use strict";
(() => {
	const find = (id) => document.getElementById(id);
	const rowHeight = 20, barHeight = 13, longBar = 4, beyond = 8;
	const valueRoom = 76, axisRoom = 22;
	const measures = new Map(report.measures.map((m) => [m.name, m]));
	const colours = new Map(report.subjects.map((s) => [s.name, s.colour]));
	const state = { measure: report.measures[0].name, log: false, sorted: false, shown: new Set(colours.keys()) };

	// Numbers as the table writes them: n digits, but at most so many after the
	// point, and none that the number does not have if it is on an axis.
	const digits = (v, n, after) => v.toFixed(Math.min(Math.max(n - 1 - Math.floor(Math.log10(v)), 0), after));
	function seconds(v) {
		if (v === 0) return "0 s";
		for (const [unit, factor] of [["s", 1], ["ms", 1e3], ["µs", 1e6]]) {
			if (v * factor >= 0.9995) return digits(v * factor, 3, 2) + " " + unit;
		}
		return digits(v * 1e9, 3, 2) + " ns";
	}
	function bytes(v) {
		let unit = "B";
		for (const next of ["KiB", "MiB", "GiB", "TiB"]) {
			if (v < 1024) break;
			v /= 1024;
			unit = next;
		}
		return (unit === "B" ? v.toFixed(0) : v.toFixed(1)) + " " + unit;
	}
	const ratio = (v) => (v === 0 ? "0" : v >= 0.1 ? digits(v, 3, 2) : digits(v, 2, 5));
	const tick = (text) => text.replace(/(\.\d*?)0+(?=\D|$)/, "$1").replace(/\.(?=\D|$)/, "");
	const format = { seconds, bytes, ratio };

	function element(name, attributes, text) {
		const e = document.createElementNS("http://www.w3.org/2000/svg", name);
		for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
		if (text !== undefined) e.textContent = text;
		return e;
	}
	function html(name, attributes, ...children) {
		const e = document.createElement(name);
		for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
		e.append(...children);
		return e;
	}

	// The bars of a test in the chosen measure.
	function testBars(test) {
		const m = measures.get(state.measure);
		return test.results.filter((r) => state.shown.has(r.subject)).map((r) => {
			const v = r.values[m.name];
			if (r.error) return { subject: r.subject, label: "failed", result: r };
			if (!v) return { subject: r.subject, label: "not known", result: r };
			return { subject: r.subject, value: v.median, least: v.least, most: v.most, label: format[m.unit](v.median), result: r };
		});
	}

	// The geometric mean of each subject's ratios to the base in that measure.
	function meanBars() {
		const logs = new Map();
		for (const test of report.tests) {
			const base = test.results.find((r) => r.subject === report.base && !r.error);
			const b = base && base.values[state.measure];
			for (const r of test.results) {
				const v = !r.error && r.values[state.measure];
				if (!b || !v || !(b.median > 0) || !(v.median > 0)) continue;
				logs.set(r.subject, [...(logs.get(r.subject) || []), Math.log(v.median / b.median)]);
			}
		}
		return report.subjects.filter((s) => state.shown.has(s.name) && logs.has(s.name)).map((s) => {
			const all = logs.get(s.name), mean = Math.exp(all.reduce((a, b) => a + b) / all.length);
			const missing = all.length < report.tests.length ? ` (${all.length} tests)` : "";
			return { subject: s.name, value: mean, least: mean, most: mean, label: ratio(mean) + missing };
		});
	}

	// The value that fills a panel: where a minority of bars would leave no room
	// for the others, the longest of those others.
	function reach(values) {
		const v = values.filter((x) => x > 0).sort((a, b) => a - b);
		for (let i = Math.ceil(v.length / 2); i < v.length; i++) {
			if (v[i] > longBar * v[i - 1]) return v[i - 1];
		}
		return v.length ? v[v.length - 1] : 1;
	}

	function linearScale(bars, room, unit) {
		const top = reach(bars.map((b) => b.value || 0));
		const at = (v) => (v > top ? Math.min((room * v) / top, room + beyond) : (room * v) / top);
		const step = niceStep(top / Math.max(1.5, room / 62), unit);
		const ticks = [];
		for (let v = 0; bars.length && v <= top * 1.0001; v += step) ticks.push(v);
		return { at, ticks, cut: (v) => v > top };
	}
	// A step that reads well: a round number in the unit that it is written in.
	function niceStep(v, unit) {
		const prefix = unit === "bytes" ? 1024 ** Math.max(0, Math.floor(Math.log2(v) / 10)) : 1;
		const power = prefix * 10 ** Math.floor(Math.log10(v / prefix));
		return [1, 2, 2.5, 5, 10].find((f) => f * power >= v * 0.9999) * power;
	}
	// Decades, or powers of four where the units are powers of two.
	function logScale(bars, room, unit) {
		const base = unit === "bytes" ? 4 : 10, log = (v) => Math.log(v) / Math.log(base);
		const values = bars.map((b) => b.value).filter((v) => v > 0);
		if (!values.length) return { at: () => 0, ticks: [], cut: () => false };
		const low = Math.floor(log(Math.min(...values) * 0.9)), high = Math.ceil(log(Math.max(...values)) - 1e-9);
		const span = Math.max(high - low, 1);
		const at = (v) => (v > 0 ? Math.max(0, Math.min((room * (log(v) - low)) / span, room + beyond)) : 0);
		const every = Math.ceil(span / Math.max(1, Math.floor(room / 55)));
		const ticks = [];
		for (let i = low; i <= low + span; i += every) ticks.push(base ** i);
		return { at, ticks, cut: () => false };
	}

	const pen = document.createElement("canvas").getContext("2d");
	function textWidth(s, font) {
		pen.font = font || "12px system-ui, sans-serif";
		return pen.measureText(s).width;
	}
	function clipped(name, width) {
		if (textWidth(name) <= width) return name;
		let cut = name;
		while (cut && textWidth(cut + "…") > width) cut = cut.slice(0, -1);
		return cut + "…";
	}

	function draw(panel) {
		const bars = panel.bars(), unit = panel.unit();
		if (state.sorted) bars.sort((a, b) => (a.value ?? Infinity) - (b.value ?? Infinity));
		const width = panel.figure.clientWidth - 28;
		const labels = Math.min(Math.max(...bars.map((b) => textWidth(b.subject)), 30) + 14, width * 0.42);
		const values = Math.max(valueRoom, ...bars.map((b) => textWidth(b.label) + 20));
		const room = Math.max(width - labels - values, 20);
		const scale = (state.log ? logScale : linearScale)(bars, room, unit);
		const height = bars.length * rowHeight;
		const svg = panel.svg;
		svg.replaceChildren();
		svg.setAttribute("width", width);
		svg.setAttribute("height", height + axisRoom);
		svg.setAttribute("viewBox", `0 0 ${width} ${height + axisRoom}`);
		svg.setAttribute("aria-label", panel.title + ": " + bars.map((b) => b.subject + " " + b.label).join(", ") + ". Arrow keys tell more.");
		panel.rows = bars.map((b, i) => {
			const row = element("rect", { class: "row", x: 0, y: i * rowHeight, width, height: rowHeight, rx: 3 });
			svg.append(row);
			return { bar: b, row };
		});
		drawAxis(svg, scale, format[unit], labels, height);
		bars.forEach((b, i) => drawBar(svg, b, scale, labels, i * rowHeight));
		if (panel.active >= bars.length) panel.active = -1;
	}

	function drawAxis(svg, scale, write, left, height) {
		let free = -Infinity;
		for (const v of scale.ticks) {
			const x = Math.round(left + scale.at(v)) + 0.5, text = tick(write(v)), half = textWidth(text, "10.5px system-ui, sans-serif") / 2;
			svg.append(element("line", { class: "grid", x1: x, x2: x, y1: 0, y2: height + 3 }));
			if (x - half < free) continue;
			free = x + half + 6;
			svg.append(element("text", { class: "tick", x, y: height + 15 }, text));
		}
		svg.append(element("line", { class: "axis", x1: left + 0.5, x2: left + 0.5, y1: 0, y2: height + 3 }));
	}

	function drawBar(svg, b, scale, left, y) {
		const middle = y + rowHeight / 2, top = middle - barHeight / 2, base = middle + 4;
		svg.append(element("text", { class: "label", x: left - 8, y: base }, clipped(b.subject, left - 10)));
		let end = left;
		if (b.value > 0) {
			end = left + Math.max(scale.at(b.value), 1);
			svg.append(element("rect", { class: "s" + colours.get(b.subject), x: left + 1, y: top, width: end - left, height: barHeight }));
			if (scale.cut(b.value)) {
				svg.append(element("line", { class: "cut", x1: end - 14, y1: top + barHeight + 1, x2: end - 9, y2: top - 1 }));
			} else if (b.most > b.least) {
				svg.append(element("line", { class: "spread", x1: left + scale.at(b.least), x2: left + scale.at(b.most), y1: middle, y2: middle }));
				end = Math.max(end, left + scale.at(b.most));
			}
		}
		svg.append(element("text", { class: "value", x: end + 7, y: base }, b.label));
	}

	// What is known about a bar, beside the pointer or the active row.
	function showTip(panel, index, x, y) {
		activate(panel, index);
		const { bar } = panel.rows[index], tip = find("tip");
		tip.replaceChildren(html("span", { class: "swatch s" + colours.get(bar.subject) }), html("strong", {}, " " + bar.subject), ` · ${panel.title}`);
		tip.append(bar.result ? tipTable(bar) : html("div", {}, bar.label + " times " + report.base));
		tip.hidden = false;
		const box = tip.getBoundingClientRect();
		tip.style.left = Math.max(4, Math.min(x + 16, innerWidth - box.width - 8)) + "px";
		tip.style.top = Math.max(4, y + 16 + box.height > innerHeight ? y - box.height - 12 : y + 16) + "px";
	}
	function tipTable(bar) {
		if (bar.result.error) return html("div", {}, "failed: " + bar.result.error);
		const table = html("table", {});
		for (const m of report.measures) {
			const v = bar.result.values[m.name], write = format[m.unit];
			if (!v) continue;
			const spread = v.most > v.least ? ` (${write(v.least)} to ${write(v.most)})` : "";
			table.append(html("tr", m.name === state.measure ? { class: "chosen" } : {}, html("td", {}, m.label), html("td", {}, write(v.median) + spread)));
		}
		if (bar.result.ratio) table.append(html("tr", {}, html("td", {}, "steady ÷ " + report.base), html("td", {}, ratio(bar.result.ratio))));
		table.append(html("tr", {}, html("td", {}, "turns"), html("td", {}, String(bar.result.turns))));
		return table;
	}
	function activate(panel, index) {
		if (panel.active >= 0 && panel.rows[panel.active]) panel.rows[panel.active].row.classList.remove("active");
		panel.active = index;
		if (index >= 0) panel.rows[index].row.classList.add("active");
	}
	function hideTip(panel) {
		activate(panel, -1);
		find("tip").hidden = true;
	}

	function listen(panel) {
		const svg = panel.svg;
		svg.addEventListener("pointermove", (e) => {
			const index = Math.floor((e.clientY - svg.getBoundingClientRect().top) / rowHeight);
			if (index >= 0 && index < panel.rows.length) showTip(panel, index, e.clientX, e.clientY);
			else hideTip(panel);
		});
		svg.addEventListener("pointerleave", () => hideTip(panel));
		svg.addEventListener("blur", () => hideTip(panel));
		svg.addEventListener("keydown", (e) => {
			const last = panel.rows.length - 1;
			const to = { ArrowDown: Math.min(panel.active + 1, last), ArrowUp: Math.max(panel.active - 1, 0), Home: 0, End: last }[e.key];
			if (e.key === "Escape") hideTip(panel);
			if (to === undefined || last < 0) return;
			e.preventDefault();
			const box = panel.rows[to].row.getBoundingClientRect();
			showTip(panel, to, box.left + box.width / 3, box.bottom - 12);
			find("said").textContent = find("tip").innerText;
		});
	}

	function makePanel(title, text, wide, bars, unit) {
		const svg = element("svg", { tabindex: 0, role: "img" });
		const caption = html("p", {}, text());
		const figure = html("figure", { class: wide ? "panel wide" : "panel" }, html("h3", {}, title), caption, svg);
		find("charts").append(figure);
		const panel = { title, figure, svg, bars, unit, active: -1, rows: [], caption: () => { caption.textContent = text(); } };
		listen(panel);
		return panel;
	}

	const chosen = () => measures.get(state.measure);
	const panels = [];
	if (report.tests.some((t) => t.results.some((r) => r.subject === report.base && !r.error))) {
		panels.push(makePanel("geometric mean", () => `${chosen().label}: ${chosen().text}, as multiples of ${report.base}`, true, meanBars, () => "ratio"));
	}
	for (const test of report.tests) panels.push(makePanel(test.name, () => test.text, false, () => testBars(test), () => chosen().unit));

	function redraw() {
		find("tip").hidden = true;
		for (const p of panels) {
			p.caption();
			draw(p);
		}
		for (const row of document.querySelectorAll("tr[data-subject]")) {
			row.style.opacity = state.shown.has(row.dataset.subject) ? "" : "0.35";
		}
		find("legend").textContent = `Charts: ${chosen().text}; less is better. Thin lines: least to most of the turns. ` +
			(state.log ? "The scale is logarithmic: lengths do not compare, places do." : "A slash: the bar is longer than its panel; the log scale shows it whole.");
	}

	const controls = find("controls");
	controls.hidden = find("legend").hidden = false;
	const boxes = () => [...controls.querySelectorAll('input[name="subject"]')];
	function read() {
		state.measure = controls.elements.measure.value || report.measures[0].name;
		state.log = find("log").checked;
		state.sorted = find("sorted").checked;
		state.shown = new Set(boxes().filter((b) => b.checked).map((b) => b.value));
		redraw();
	}
	function setAll(checked) {
		for (const b of boxes()) b.checked = checked;
		read();
	}
	controls.addEventListener("change", read);
	controls.addEventListener("submit", (e) => e.preventDefault());
	find("all").addEventListener("click", () => setAll(true));
	find("none").addEventListener("click", () => setAll(false));
	addEventListener("resize", redraw);
	matchMedia("print").addEventListener("change", redraw);
	read();
})();
