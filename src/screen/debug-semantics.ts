import type { DebugSnapshot } from '@apprentice/contracts/devices/find-element.ts'

type Raw = DebugSnapshot['raw']

const MAX_ACTIONS = 10
const MIN_CONFIDENCE = 0.3

/** What a person would say about the screen. It is derived from `raw` only. */
export function describeDebugSnapshot(raw: Raw): DebugSnapshot['semantic'] {
  const shown = raw.ui_tree?.elements.filter(({ visible }) => visible) ?? []
  const texts = shown.map(({ text }) => text?.trim() ?? '').filter((text) => text !== '')
  const actions = shown.filter(({ clickable, enabled, label }) => clickable && enabled && label.trim() !== '')
  const hasErrors = raw.logs.some(({ level }) => level === 'E' || level === 'F')
  const screen = readActivityName(raw.activity) ?? texts[0] ?? null
  const signals = {
    has_activity: raw.activity !== null,
    has_ui_tree: raw.ui_tree !== null,
    has_screenshot: raw.screenshot !== null,
    has_visible_text: texts.length > 0,
    has_clickable_elements: actions.length > 0,
    has_error_logs: hasErrors,
    has_loading_signals: raw.loading_state !== null,
    has_primary_text: texts.length > 0,
  }
  const confidence = weigh([
    [signals.has_ui_tree, 0.35],
    [screen !== null, 0.2],
    [signals.has_activity, 0.15],
    [signals.has_clickable_elements, 0.15],
    [signals.has_visible_text, 0.1],
    [signals.has_screenshot, 0.05],
    [signals.has_error_logs, -0.15],
    [signals.has_loading_signals, -0.05],
  ])
  if (screen === null && confidence < MIN_CONFIDENCE) return null
  const warnings = [
    ...(signals.has_ui_tree ? [] : ['The UI tree is not available.']),
    ...(signals.has_activity ? [] : ['The activity is not available.']),
    ...(hasErrors ? ['The log contains errors.'] : []),
  ]
  const labels = [...new Set(actions.map(({ label }) => label.trim()))].slice(0, MAX_ACTIONS)
  return { screen, signals, actions_available: raw.ui_tree === null ? null : labels, confidence, warnings }
}

/** The short name of an activity without its suffix. */
function readActivityName(activity: string | null): string | undefined {
  const name = activity
    ?.split(/[./]/)
    .at(-1)
    ?.replace(/Activity$/, '')
  return name === undefined || name === '' ? undefined : name
}

function weigh(parts: readonly (readonly [boolean, number])[]): number {
  const sum = parts.reduce((total, [holds, weight]) => total + (holds ? weight : 0), 0)
  return Math.round(Math.min(1, Math.max(0, sum)) * 100) / 100
}
