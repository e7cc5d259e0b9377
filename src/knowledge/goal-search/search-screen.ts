import type { TestPolicy } from '@apprentice/contracts/learn/test-policy.ts'
import type { Hierarchy } from '../../screen/tree/hierarchy.ts'
import { parseScreen, type Screen, readTitle } from '../interpret/read/screen.ts'
import type { Goal } from './goal/goal.ts'
import { type ClosedWay, listWays } from './ways.ts'
import type { Place } from './search.ts'

/** One reading of a screen, as the search needs it. */
export interface PracticeReading {
  readonly hierarchy: Hierarchy
  readonly activity: string | null
  readonly package: string | null
  readonly fingerprint: string
  readonly screen_id: string
}

export interface SearchScreen {
  readonly screen: Screen
  readonly place: Place
  readonly closed: readonly ClosedWay[]
}

/** Screens of apps outside `apps` get no title and no ways. */
export function toSearchScreen(
  reading: PracticeReading,
  { goal, policy, apps }: { goal: Goal; policy: TestPolicy; apps: readonly string[] },
): SearchScreen {
  const screen = parseScreen(reading.hierarchy, reading.activity ?? undefined)
  const app = reading.package ?? ''
  const isAllowed = apps.includes(app)
  const { ways, closed } = isAllowed ? listWays(screen, { goal, policy }) : { ways: [], closed: [] }
  const title = isAllowed ? readTitle(screen) : ''
  const { fingerprint: id, screen_id: shape } = reading
  return { screen, place: { id, shape, app, title, ways }, closed }
}
