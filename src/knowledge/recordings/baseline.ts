import type { CompareMap, CompareReport } from '@apprentice/contracts/devices/compare.ts'
import type { ExportedEvent, RecordingExport } from '@apprentice/contracts/devices/recording.ts'
import { toCheckpoint, type FoundCheckpoint, readPackage, readResourceId, collectText } from './recorded-events.ts'
import { SOLAX_MAP, SOLAX_PACKAGE } from './solax-map.ts'
import { findStructuralCheckpoints } from './structural-baseline.ts'

export interface Baseline {
  readonly app_package: string | undefined
  readonly checkpoints: readonly FoundCheckpoint[]
  readonly strategy: CompareReport['normalizationStrategy']
  /** Too few checkpoints were found for a comparison. */
  readonly insufficient: boolean
}

export interface BaselineRules {
  readonly map?: CompareMap | undefined
  readonly normalization: 'auto' | 'structural' | 'solax_heuristic'
}

export function readBaseline(recording: RecordingExport, rules: BaselineRules): Baseline {
  const app_package = findPrimaryPackage(recording.events)
  const { map, normalization } = rules
  if (map !== undefined) {
    return { app_package, ...applyMap(recording.events, map), strategy: 'compare_map' }
  }
  const isSolax = app_package === SOLAX_PACKAGE
  if (normalization === 'solax_heuristic' || (normalization === 'auto' && isSolax)) {
    const found = isSolax ? applyMap(recording.events, SOLAX_MAP) : NO_CHECKPOINTS
    return { app_package, ...found, strategy: 'solax_heuristic' }
  }
  const checkpoints = findStructuralCheckpoints(recording.events, app_package)
  const insufficient = checkpoints.length < MIN_CHECKPOINTS
  return { app_package, checkpoints, insufficient, strategy: 'structural' }
}

const NO_CHECKPOINTS = { checkpoints: [], insufficient: true }
/** One for opening the app and one for an action in it. */
const MIN_CHECKPOINTS = 2

/** The package of most events; among equals the first. */
function findPrimaryPackage(events: readonly ExportedEvent[]): string | undefined {
  const counts = new Map<string, number>()
  for (const event of events) {
    const name = readPackage(event)
    if (name !== '') counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return [...counts].reduce<readonly [string, number] | undefined>(
    (best, one) => (best === undefined || one[1] > best[1] ? one : best),
    undefined,
  )?.[0]
}

function applyMap(
  events: readonly ExportedEvent[],
  { checkpoints: entries, required = entries.length }: CompareMap,
): Pick<Baseline, 'checkpoints' | 'insufficient'> {
  const checkpoints = entries.flatMap(({ checkpointId, match }) => {
    const event = findEvent(events, match)
    return event === undefined ? [] : [toCheckpoint(checkpointId, event)]
  })
  return { checkpoints, insufficient: checkpoints.length < required }
}

type Match = CompareMap['checkpoints'][number]['match']

/** Does not search UI trees, so a recording with and without trees gives the same result. */
function findEvent(events: readonly ExportedEvent[], match: Match): ExportedEvent | undefined {
  const fitting = events.filter(
    (event) =>
      event.type === match.eventType &&
      (match.packageName === undefined || readPackage(event) === match.packageName) &&
      (match.resourceId === undefined || readResourceId(event) === match.resourceId) &&
      !(event.type === 'text_change' && event.text.trim() === ''),
  )
  const texts = match.text === undefined ? [''] : [match.text].flat()
  for (const text of texts) {
    const matching = fitting.filter((event) => collectText(event).includes(text.toLowerCase()))
    const found = match.pick === 'last' ? matching.at(-1) : matching[0]
    if (found !== undefined) return found
  }
  return undefined
}
