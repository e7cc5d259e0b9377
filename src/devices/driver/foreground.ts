/** The app a person sees on the device. */
export interface Foreground {
  readonly package: string
  readonly activity: string | undefined
  /** Which of the system's accounts told it. */
  readonly source: 'resumed_activity' | 'focused_window' | 'focused_app'
}

/** What to ask for: both accounts in one go, as each can be silent at times. */
export const FOREGROUND_COMMAND = [
  "dumpsys activity activities | grep -E 'topResumedActivity=|ResumedActivity:'",
  "dumpsys window | grep -E 'mCurrentFocus|mFocusedApp'",
].join('; ')

/**
 * The window in focus is what takes the next tap, so it counts first; a focus that is no app (a
 * panel, the lock screen) leaves the resumed activity. Old and new spellings of Android 5 to 15.
 */
export function parseForeground(text: string): Foreground | undefined {
  return (
    last(text, /mCurrentFocus=Window\{\S+ u\d+ (\S+?)\}/g, 'focused_window') ??
    last(text, /topResumedActivity=ActivityRecord\{\S+ u\d+ ([^\s}]+)/g, 'resumed_activity') ??
    last(text, /ResumedActivity: ActivityRecord\{\S+ u\d+ ([^\s}]+)/g, 'resumed_activity') ??
    last(text, /mFocusedApp=.*?ActivityRecord\{\S+ u\d+ ([^\s}]+)/g, 'focused_app')
  )
}

function last(text: string, pattern: RegExp, source: Foreground['source']): Foreground | undefined {
  return [...text.matchAll(pattern)]
    .map((match) => component(match[1] ?? ''))
    .filter((found) => found !== undefined)
    .map((found) => ({ ...found, source }))
    .at(-1)
}

/** `pkg/.Activity`, with the short form written out. */
function component(word: string): { package: string; activity: string } | undefined {
  const [, name, activity] = /^([A-Za-z]\w*(?:\.\w+)+)\/([\w.$]+)$/.exec(word) ?? []
  if (!name || !activity) return undefined
  return { package: name, activity: activity.startsWith('.') ? name + activity : activity }
}
