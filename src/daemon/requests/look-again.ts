/** Milliseconds. Of many deliveries of a webhook the next one, or the usual look, sees the rest. */
const lookEveryMs = 5_000;

/** The state in which the forge lists its pull requests again; unchanged soon after a list, and while calls fail. */
export const lookAgain = <S extends { readonly listedMs: number | undefined; readonly failing: unknown }>(
  state: S,
  nowMs: number,
): S =>
  state.failing === undefined && nowMs - (state.listedMs ?? 0) >= lookEveryMs
    ? { ...state, listedMs: undefined }
    : state;
