import { byId, data } from '/assets/report/dom.js';

byId('line').textContent = data.line;
