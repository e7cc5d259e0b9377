import type {
  RecordingEvent,
  RecordingStep,
  RecordingStepLog,
  StepLogMode,
} from '@apprentice/contracts/devices/recording.ts'
import { eventsInOrder, type Recording, snapshotOf } from './ndjson.ts'

/**
 * The steps of a recording. `v1` knows the first window and the clicks and warns of each scroll it
 * drops; `full` keeps everything a person did, with typing and scrolling in a row taken as one.
 */
export function toSteps(recording: Recording, mode: StepLogMode): RecordingStepLog {
  const events = eventsInOrder(recording)
  const warnings = [
    ...recording.events.flatMap(missingSnapshot),
    ...(mode === 'v1' ? events.flatMap(droppedScroll) : []),
  ]
  return {
    sessionId: recording.header.sessionId,
    schemaVersion: 1,
    steps: mode === 'v1' ? lossySteps(events) : fullSteps(events),
    ...(warnings.length === 0 ? {} : { _warnings: warnings }),
  }
}

function missingSnapshot(event: RecordingEvent): string[] {
  const { seq, type } = event
  if (type !== 'window_change' && type !== 'click') return []
  if (snapshotOf(event) !== null) return []
  return [`seq ${seq}: snapshot missing on ${type} event (uiStateBefore null)`]
}

function droppedScroll({ seq, type }: RecordingEvent): string[] {
  return type === 'scroll' ? [`seq ${seq}: scroll event dropped (not extracted in v1)`] : []
}

function lossySteps(events: readonly RecordingEvent[]): RecordingStep[] {
  return fullSteps(events).filter(({ type }) => type === 'open_app' || type === 'click')
}

function fullSteps(events: readonly RecordingEvent[]): RecordingStep[] {
  const opening = events.find(({ type }) => type === 'window_change')
  return runsOf(events).flatMap((run) => stepOf(run, opening))
}

/** Events in a row that type into one field or scroll one list; every other event is a run by itself. */
function runsOf(events: readonly RecordingEvent[]): Run[] {
  const runs: [RecordingEvent, ...RecordingEvent[]][] = []
  for (const event of events) {
    const run = runs.at(-1)
    if (run !== undefined && continues(run[0], event)) run.push(event)
    else runs.push([event])
  }
  return runs
}

type Run = readonly [RecordingEvent, ...RecordingEvent[]]

function continues(run: RecordingEvent, next: RecordingEvent): boolean {
  if (run.type !== 'text_change' && run.type !== 'scroll') return false
  if (next.type !== run.type) return false
  return next.packageName === run.packageName && next.resourceId === run.resourceId
}

/** The first event tells when and on which screen, the last one how it ended. */
function stepOf(run: Run, opening: RecordingEvent | undefined): RecordingStep[] {
  const { seq } = run[0]
  const uiStateBefore = snapshotOf(run[0])
  const last = run.at(-1) ?? run[0]
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
      return [scrollStep(last, { seq, uiStateBefore, eventCount: run.length })]
  }
}

function scrollStep(
  last: Extract<RecordingEvent, { type: 'scroll' }>,
  {
    seq,
    uiStateBefore,
    eventCount,
  }: { seq: number; uiStateBefore: string | null; eventCount: number },
): RecordingStep {
  const { type, packageName, resourceId, scrollX, scrollY, maxScrollX, maxScrollY } = last
  const position = { scrollX, scrollY, maxScrollX, maxScrollY }
  return { seq, type, packageName, resourceId, ...position, eventCount, uiStateBefore }
}
