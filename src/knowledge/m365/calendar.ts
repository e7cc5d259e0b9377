import { z } from 'zod'
import type { M365OperationResult, M365Request } from '@apprentice/contracts/connectors/m365/operations.ts'
import { get, type GraphRequest, patch, post } from './graph-request.ts'
import { toHtml } from './markdown-html.ts'
import { readItems, Text, toTime } from './values.ts'

type Slot = Extract<M365OperationResult, { operation_family: 'calendar_check_availability' }>['slots'][number]
type State = Slot['state']
type Window = Pick<M365Request<'calendar_check_availability'>, 'time_min' | 'time_max'>

/** A time in which somebody is not known to be free. Times are in milliseconds. */
interface Interval {
  readonly start: number
  readonly end: number
  readonly state: State
}

export const STEP_MINUTES = 15
const STEP_MS = STEP_MINUTES * 60_000
const UTC = 'UTC'
/** Events of the own calendar that are read at most. */
export const MOST_EVENTS = 500

const toGraphTime = (time: string) => ({ dateTime: new Date(time).toISOString().slice(0, 19), timeZone: UTC })

export const getScheduleRequest = (attendees: readonly string[], { time_min, time_max }: Window): GraphRequest =>
  post(['me', 'calendar', 'getSchedule'], {
    schedules: attendees,
    startTime: toGraphTime(time_min),
    endTime: toGraphTime(time_max),
    availabilityViewInterval: STEP_MINUTES,
  })

export const listOwnEventsRequest = ({ time_min, time_max }: Window): GraphRequest => ({
  ...get(['me', 'calendarView'], {
    startDateTime: new Date(time_min).toISOString(),
    endDateTime: new Date(time_max).toISOString(),
    $select: 'start,end,showAs,isCancelled',
    $top: '100',
  }),
  headers: { prefer: `outlook.timezone="${UTC}"` },
})

const Schedules = z.object({
  value: z.array(z.looseObject({ availabilityView: Text, error: z.looseObject({}).nullish() })),
})

/** The digits of an availability view. 4 means working elsewhere, which is free. */
const VIEW_STATES: Readonly<Record<string, State>> = {
  '0': 'free',
  '1': 'tentative',
  '2': 'busy',
  '3': 'busy',
  '4': 'free',
}

/** Reads the answer about other people. Undefined if it has not the expected form. */
export function readSchedules(body: unknown, { time_min, time_max }: Window): Interval[] | undefined {
  const read = Schedules.safeParse(body)
  if (!read.success) return undefined
  const [start, end] = [Date.parse(time_min), Date.parse(time_max)]
  return read.data.value.flatMap(({ availabilityView, error }): Interval[] => {
    const view = availabilityView ?? ''
    if (view === '' || (error !== undefined && error !== null)) return [{ start, end, state: 'unknown' }]
    return view.split('').map((digit, at) => ({
      start: start + at * STEP_MS,
      end: Math.min(end, start + (at + 1) * STEP_MS),
      state: VIEW_STATES[digit] ?? 'unknown',
    }))
  })
}

const When = z.looseObject({ dateTime: z.string() })
const OwnEvent = z.object({ start: When, end: When, showAs: Text, isCancelled: z.boolean().nullish() })
const SHOWN_STATES: Readonly<Record<string, State>> = {
  free: 'free',
  workingElsewhere: 'free',
  tentative: 'tentative',
  busy: 'busy',
  oof: 'busy',
}

export function readOwnEvents(items: readonly unknown[]): Interval[] {
  return readItems(OwnEvent, items)
    .filter(({ isCancelled }) => isCancelled !== true)
    .map(({ start, end, showAs }) => ({
      start: Date.parse(toTime(start.dateTime) ?? ''),
      end: Date.parse(toTime(end.dateTime) ?? ''),
      state: SHOWN_STATES[showAs ?? ''] ?? 'unknown',
    }))
    .filter(({ start, end }) => start < end)
}

const SEVERITY: Readonly<Record<State, number>> = { free: 0, unknown: 1, tentative: 2, busy: 3 }

/** The window as slots without gaps. In each the worst state of all people holds. Short free slots are left out. */
export function mergeSlots(
  intervals: readonly Interval[],
  { time_min, time_max }: Window,
  shortest_minutes = 0,
): Slot[] {
  const [from, to] = [Date.parse(time_min), Date.parse(time_max)]
  const taken = intervals.filter(({ state, start, end }) => state !== 'free' && start < to && end > from)
  const edges = [from, to, ...taken.flatMap(({ start, end }) => [Math.max(from, start), Math.min(to, end)])]
  const marks = [...new Set(edges)].toSorted((a, b) => a - b)
  const merged: Interval[] = []
  for (const [at, start] of marks.slice(0, -1).entries()) {
    const end = marks[at + 1] ?? to
    const state = taken.reduce<State>(
      (worst, one) => (one.start < end && one.end > start && SEVERITY[one.state] > SEVERITY[worst] ? one.state : worst),
      'free',
    )
    const last = merged.at(-1)
    if (last?.state === state) merged[merged.length - 1] = { ...last, end }
    else merged.push({ start, end, state })
  }
  return merged
    .filter(({ start, end, state }) => state !== 'free' || end - start >= shortest_minutes * 60_000)
    .map(({ start, end, state }) => ({
      start_time: new Date(start).toISOString(),
      end_time: new Date(end).toISOString(),
      state,
    }))
}

type EventFields = Pick<
  M365Request<'calendar_update_event'>,
  'title' | 'start_time' | 'end_time' | 'attendee_emails' | 'location' | 'body_markdown'
>

function toEvent({ title, start_time, end_time, attendee_emails, location, body_markdown }: EventFields) {
  return {
    ...(title === undefined ? {} : { subject: title }),
    ...(start_time === undefined ? {} : { start: toGraphTime(start_time) }),
    ...(end_time === undefined ? {} : { end: toGraphTime(end_time) }),
    ...(attendee_emails === undefined
      ? {}
      : { attendees: attendee_emails.map((address) => ({ emailAddress: { address }, type: 'required' })) }),
    ...(location === undefined ? {} : { location: { displayName: location } }),
    ...(body_markdown === undefined ? {} : { body: { contentType: 'html', content: toHtml(body_markdown) } }),
  }
}

/** Graph makes one event for a transaction id, however often the request arrives. */
export const createEventRequest = (request: EventFields, transactionId: string): GraphRequest =>
  post(['me', 'events'], { ...toEvent(request), transactionId })

export const updateEventRequest = (eventId: string, request: EventFields): GraphRequest =>
  patch(['me', 'events', eventId], toEvent(request))

/** Whether an update changes something. */
export const hasChange = (request: EventFields): boolean => Object.keys(toEvent(request)).length > 0
