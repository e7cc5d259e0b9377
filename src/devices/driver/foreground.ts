/** The app in the foreground. */
export interface Foreground {
  readonly package: string
  readonly activity: string | undefined
  /** The system report it was read from. */
  readonly source: 'resumed_activity' | 'focused_window' | 'focused_app'
}

/** Reads both system reports at once, because either can be empty. */
export const FOREGROUND_COMMAND = [
  "dumpsys activity activities | grep -E 'topResumedActivity=|ResumedActivity:'",
  "dumpsys window | grep -E 'mCurrentFocus|mFocusedApp'",
].join('; ')

/**
 * The focused window receives the next tap, so it comes first. If it is not an app (a panel, the lock
 * screen), the resumed activity is used. Covers the formats of Android 5 to 15.
 */
export function parseForeground(text: string): Foreground | undefined {
  return (
    findLast(text, /mCurrentFocus=Window\{\S+ u\d+ (\S+?)\}/g, 'focused_window') ??
    findLast(text, /topResumedActivity=ActivityRecord\{\S+ u\d+ ([^\s}]+)/g, 'resumed_activity') ??
    findLast(text, /ResumedActivity: ActivityRecord\{\S+ u\d+ ([^\s}]+)/g, 'resumed_activity') ??
    findLast(text, /mFocusedApp=(?:(?!mFocusedApp=).)*?ActivityRecord\{\S+ u\d+ ([^\s}]+)/g, 'focused_app')
  )
}

function findLast(text: string, pattern: RegExp, source: Foreground['source']): Foreground | undefined {
  return [...text.matchAll(pattern)]
    .map((match) => parseComponent(match[1] ?? ''))
    .filter((found) => found !== undefined)
    .map((found) => ({ ...found, source }))
    .at(-1)
}

/** Parses `pkg/.Activity` and expands the short form. */
function parseComponent(text: string): { package: string; activity: string } | undefined {
  const [, name, activity] = /^([A-Za-z]\w*(?:\.\w+)+)\/([\w.$]+)$/.exec(text) ?? []
  if (!name || !activity) return undefined
  return { package: name, activity: activity.startsWith('.') ? name + activity : activity }
}
