import type { CompareMap, CompareReport } from '@apprentice/contracts/devices/compare.ts'
import type { ExportedEvent, RecordingExport } from '@apprentice/contracts/devices/recording.ts'
import {
  checkpointOf,
  type FoundCheckpoint,
  packageOf,
  resourceOf,
  wordsOf,
} from './recorded-events.ts'
import { SOLAX_MAP, SOLAX_PACKAGE } from './solax-map.ts'
import { structuralCheckpoints } from './structural-baseline.ts'

export interface Baseline {
  readonly app_package: string | undefined
  readonly checkpoints: readonly FoundCheckpoint[]
  readonly strategy: CompareReport['normalizationStrategy']
  /** Too little was found to compare anything with. */
  readonly insufficient: boolean
}

export interface BaselineRules {
  readonly map?: CompareMap | undefined
  readonly normalization: 'auto' | 'structural' | 'solax_heuristic'
}

export function readBaseline(recording: RecordingExport, rules: BaselineRules): Baseline {
  const app_package = primaryPackage(recording.events)
  const { map, normalization } = rules
  if (map !== undefined) {
    return { app_package, ...mapped(recording.events, map), strategy: 'compare_map' }
  }
  const isSolax = app_package === SOLAX_PACKAGE
  if (normalization === 'solax_heuristic' || (normalization === 'auto' && isSolax)) {
    const found = isSolax ? mapped(recording.events, SOLAX_MAP) : nothing
    return { app_package, ...found, strategy: 'solax_heuristic' }
  }
  const checkpoints = structuralCheckpoints(recording.events, app_package)
  const insufficient = checkpoints.length < FEWEST
  return { app_package, checkpoints, insufficient, strategy: 'structural' }
}

const nothing = { checkpoints: [], insufficient: true }
/** The app was opened and something was done in it. */
const FEWEST = 2

/** The app most events belong to; of several the one seen first. */
function primaryPackage(events: readonly ExportedEvent[]): string | undefined {
  const counts = new Map<string, number>()
  for (const event of events) {
    const name = packageOf(event)
    if (name !== '') counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  const most = Math.max(...counts.values())
  return [...counts].find(([, count]) => count === most)?.[0]
}

function mapped(
  events: readonly ExportedEvent[],
  { checkpoints: wanted, required = wanted.length }: CompareMap,
): Pick<Baseline, 'checkpoints' | 'insufficient'> {
  const checkpoints = wanted.flatMap(({ checkpointId, match }) => {
    const event = pick(events, match)
    return event === undefined ? [] : [checkpointOf(checkpointId, event)]
  })
  return { checkpoints, insufficient: checkpoints.length < required }
}

type Match = CompareMap['checkpoints'][number]['match']

/** Trees are never searched, so that a recording means the same with and without them. */
function pick(events: readonly ExportedEvent[], match: Match): ExportedEvent | undefined {
  const fitting = events.filter(
    (event) =>
      event.type === match.eventType &&
      (match.packageName === undefined || packageOf(event) === match.packageName) &&
      (match.resourceId === undefined || resourceOf(event) === match.resourceId) &&
      !(event.type === 'text_change' && event.text.trim() === ''),
  )
  const texts = match.text === undefined ? [''] : [match.text].flat()
  for (const text of texts) {
    const saying = fitting.filter((event) => wordsOf(event).includes(text.toLowerCase()))
    const found = match.pick === 'last' ? saying.at(-1) : saying[0]
    if (found !== undefined) return found
  }
  return undefined
}
