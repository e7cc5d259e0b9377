import { fail, type GraphRoute, ok, page } from './graph-reply.ts'
import type { GraphEvent } from './graph-state.ts'

const WRITE = ['Calendars.ReadWrite']
const READ = ['Calendars.Read', ...WRITE]
const PAGE_SIZE = 2

export const calendarRoutes: readonly GraphRoute[] = [
  {
    method: 'POST',
    path: /^\/me\/calendar\/getSchedule$/,
    scopes: READ,
    handle: ({ body, state }) => {
      const { schedules, availabilityViewInterval } = body as { schedules: string[]; availabilityViewInterval: number }
      if (availabilityViewInterval !== 15) return fail(400, 'ErrorInvalidRequest')
      return ok({
        value: schedules.map((scheduleId) => {
          const availabilityView = state.schedules[scheduleId]
          return availabilityView === undefined
            ? { scheduleId, error: { message: 'unknown', responseCode: 'ErrorMailRecipientNotFound' } }
            : { scheduleId, availabilityView, scheduleItems: [] }
        }),
      })
    },
  },
  {
    method: 'GET',
    path: /^\/me\/calendarView$/,
    scopes: READ,
    handle: (call) => {
      const zone = call.headers['prefer']
      if (zone !== 'outlook.timezone="UTC"') return fail(400, 'ErrorInvalidRequest')
      const { query } = call
      const [from, to] = [query.get('startDateTime') ?? '', query.get('endDateTime') ?? '']
      const found = call.state.events.filter(({ start, end }) => `${start.dateTime}Z` < to && `${end.dateTime}Z` > from)
      return page(call, found, PAGE_SIZE)
    },
  },
  {
    method: 'POST',
    path: /^\/me\/events$/,
    scopes: WRITE,
    handle: ({ body, state }) => {
      const known = state.events.find(({ transactionId }) => transactionId === body['transactionId'])
      const event = known ?? ({ showAs: 'busy', ...body, id: `event-${state.events.length + 1}` } as GraphEvent)
      if (known === undefined) state.events.push(event)
      return ok(event, 201)
    },
  },
  {
    method: 'PATCH',
    path: /^\/me\/events\/([^/]+)$/,
    scopes: WRITE,
    handle: ({ body, state, parts }) => {
      const found = state.events.find(({ id }) => id === parts[0])
      if (found === undefined) return fail(404, 'ErrorItemNotFound')
      Object.assign(found, body)
      return ok(found)
    },
  },
]
