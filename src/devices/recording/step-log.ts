import type {
  RecordingEvent,
  RecordingStep,
  RecordingStepLog,
  StepLogMode,
} from '@apprentice/contracts/devices/recording.ts'
import { sortEvents, type Recording, readSnapshot } from './ndjson.ts'

/**
 * The steps of a recording. `v1` has the first window and the clicks, with a warning for each dropped
 * scroll. `full` has all actions, with consecutive typing or scrolling joined.
 */
export function buildStepLog(recording: Recording, mode: StepLogMode): RecordingStepLog {
  const events = sortEvents(recording)
  const warnings = [
    ...recording.events.flatMap(warnOfMissingSnapshot),
    ...(mode === 'v1' ? events.flatMap(warnOfDroppedScroll) : []),
  ]
  return {
    sessionId: recording.header.sessionId,
    schemaVersion: 1,
    steps: mode === 'v1' ? toV1Steps(events) : toFullSteps(events),
    ...(warnings.length === 0 ? {} : { _warnings: warnings }),
  }
}

function warnOfMissingSnapshot(event: RecordingEvent): string[] {
  const { seq, type } = event
  if (type !== 'window_change' && type !== 'click') return []
  if (readSnapshot(event) !== null) return []
  return [`seq ${seq}: snapshot missing on ${type} event (uiStateBefore null)`]
}

function warnOfDroppedScroll({ seq, type }: RecordingEvent): string[] {
  return type === 'scroll' ? [`seq ${seq}: scroll event dropped (not extracted in v1)`] : []
}

function toV1Steps(events: readonly RecordingEvent[]): RecordingStep[] {
  return toFullSteps(events).filter(({ type }) => type === 'open_app' || type === 'click')
}

function toFullSteps(events: readonly RecordingEvent[]): RecordingStep[] {
  const opening = events.find(({ type }) => type === 'window_change')
  return groupEvents(events).flatMap((group) => toSteps(group, opening))
}

/** Groups consecutive events that type into one field or scroll one list. Other events are alone. */
function groupEvents(events: readonly RecordingEvent[]): EventGroup[] {
  const groups: [RecordingEvent, ...RecordingEvent[]][] = []
  for (const event of events) {
    const group = groups.at(-1)
    if (group !== undefined && belongsTo(group[0], event)) group.push(event)
    else groups.push([event])
  }
  return groups
}

type EventGroup = readonly [RecordingEvent, ...RecordingEvent[]]

function belongsTo(first: RecordingEvent, next: RecordingEvent): boolean {
  if (first.type !== 'text_change' && first.type !== 'scroll') return false
  if (next.type !== first.type) return false
  return next.packageName === first.packageName && next.resourceId === first.resourceId
}

/** The first event gives number and screen, the last one the result. */
function toSteps(group: EventGroup, opening: RecordingEvent | undefined): RecordingStep[] {
  const { seq } = group[0]
  const uiStateBefore = readSnapshot(group[0])
  const last = group.at(-1) ?? group[0]
  switch (last.type) {
    case 'window_change': {
      const { packageName } = last
      return last === opening ? [{ seq, type: 'open_app', packageName, uiStateBefore }] : []
    }
    case 'click': {
      const { type, packageName, resourceId, text, contentDesc, bounds } = last
      return [{ seq, type, packageName, resourceId, text, contentDesc, bounds, uiStateBefore }]
    }
    case 'text_change': {
      const { packageName, resourceId, text } = last
      return [{ seq, type: 'enter_text', packageName, resourceId, text, uiStateBefore }]
    }
    case 'press_key':
      return [{ seq, type: last.type, key: last.key, uiStateBefore }]
    case 'scroll':
      return [toScrollStep(last, { seq, uiStateBefore, eventCount: group.length })]
  }
}

function toScrollStep(
  last: Extract<RecordingEvent, { type: 'scroll' }>,
  { seq, uiStateBefore, eventCount }: { seq: number; uiStateBefore: string | null; eventCount: number },
): RecordingStep {
  const { type, packageName, resourceId, scrollX, scrollY, maxScrollX, maxScrollY } = last
  const position = { scrollX, scrollY, maxScrollX, maxScrollY }
  return { seq, type, packageName, resourceId, ...position, eventCount, uiStateBefore }
}
