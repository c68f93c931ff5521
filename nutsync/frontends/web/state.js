// What is chosen: the cell, the layer, who asks; and who wants to know when memory changed.

import * as api from "./api.js";

export const state = { about: null, layer: null, counts: null };

const listeners = new Set();
let counting = null;

/** The counts of all seven layers, asked for once until memory changes. */
export function counted() {
  counting ??= api.get("/memory/counts").then(
    (counts) => {
      state.counts = counts;
      return counts;
    },
    (error) => {
      counting = null;
      throw error;
    },
  );
  return counting;
}

export function forgetCounts() {
  counting = null;
  state.counts = null;
}

/** Call `listener` when something was remembered, corrected, forgotten or synced. */
export function onChange(listener) {
  listeners.add(listener);
}

export function changed() {
  counting = null;
  for (const listener of listeners) listener();
}
