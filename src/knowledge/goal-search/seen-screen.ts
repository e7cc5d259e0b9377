import type { TestPolicy } from '@apprentice/contracts/learn/test-policy.ts'
import type { Hierarchy } from '../../screen/hierarchy.ts'
import { readScreen, type Screen, titleWords } from '../interpret/read/screen.ts'
import type { Goal } from './goal.ts'
import { type Closed, waysFrom } from './judgement.ts'
import type { Place } from './search.ts'

/** A screen as the device's reader hands it over. */
export interface ScreenLook {
  readonly hierarchy: Hierarchy
  readonly activity: string | null
  readonly package: string | null
  readonly fingerprint: string
  readonly screen_id: string
}

export interface SeenScreen {
  readonly screen: Screen
  readonly place: Place
  readonly closed: readonly Closed[]
}

/** What a reading is to the search. A foreign app is noticed and not looked into. */
export function seenScreen(
  look: ScreenLook,
  { goal, policy, apps }: { goal: Goal; policy: TestPolicy; apps: readonly string[] },
): SeenScreen {
  const screen = readScreen(look.hierarchy, look.activity ?? undefined)
  const app = look.package ?? ''
  const known = apps.includes(app)
  const { ways, closed } = known ? waysFrom(screen, { goal, policy }) : { ways: [], closed: [] }
  const title = known ? titleWords(screen) : ''
  const { fingerprint: id, screen_id: shape } = look
  return { screen, place: { id, shape, app, title, ways }, closed }
}
