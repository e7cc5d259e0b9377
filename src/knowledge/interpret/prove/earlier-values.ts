import type { UiNode } from '../../../screen/tree/hierarchy.ts'
import { findCounterpart } from '../read/counterpart.ts'
import type { Intent } from '../read/intent.ts'
import { formatName, readText } from '../read/node-text.ts'
import { isSameView, isTextField, type Screen } from '../read/screen.ts'
import type { Claim } from './claims.ts'
import { type Ending, nameAttribute } from './ending.ts'
import { listShownInputs, selectByInputs } from './shown-inputs.ts'

/**
 * Claims about values that were set on another page or in a window before the last action, and that the last page shows
 * since then: a sound that was chosen in a dialog before the vibration was. The page showed something else before.
 */
export function claimEarlierValues(ending: Ending): Claim[] {
  const seen = new Set<string>()
  return ending.intents.slice(0, -1).flatMap((intent, at): Claim[] => {
    const name = intent.input ?? intent.entry?.input
    if (name === undefined || seen.has(name) || !isSetElsewhere(intent, ending)) return []
    seen.add(name)
    const visits = findVisits(ending, at)
    if (visits === undefined) return []
    return ending.end.nodes
      .filter((node) => showsSince(node, name, visits, ending))
      .slice(0, 1)
      .flatMap((node) => claimValue(node, name, ending))
  })
}

function isSetElsewhere({ before, kind }: Intent, { end }: Ending): boolean {
  return SETTING_KINDS.has(kind) && before !== undefined && !isSameView(before, end)
}

const SETTING_KINDS: ReadonlySet<Intent['kind']> = new Set(['choose', 'pick', 'adjust', 'date', 'type'])

interface Visits {
  readonly before: Screen
  readonly after: Screen
}

/** The last reading of the proving page before an intent, and the first one after it. */
function findVisits({ intents, end }: Ending, at: number): Visits | undefined {
  const screens = intents.map(({ before }) => before)
  const isPage = (screen: Screen | undefined) => screen !== undefined && isSameView(screen, end)
  const [before, after] = [screens.slice(0, at).findLast(isPage), screens.slice(at + 1).find(isPage)]
  return before === undefined || after === undefined ? undefined : { before, after }
}

function showsSince(node: UiNode, name: string, { before, after }: Visits, ending: Ending): boolean {
  if (isTextField(node) || !listShownInputs(node, ending).includes(name)) return false
  const [was, since] = [findCounterpart(node, before), findCounterpart(node, after)]
  if (was === undefined || since === undefined || readText(since) !== readText(node)) return false
  return !listShownInputs(was, ending).includes(name)
}

function claimValue(node: UiNode, name: string, ending: Ending): Claim[] {
  const selector = selectByInputs(node, [name], ending)
  if (selector === undefined) return []
  const text = `The ${nameAttribute(node)} shows the given ${formatName(name)}`
  return [{ selector, check: { kind: 'present' }, inputs: [name], text, node }]
}
