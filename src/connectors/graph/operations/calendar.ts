import { z } from 'zod'
import {
  createEventRequest,
  getScheduleRequest,
  hasChange,
  listOwnEventsRequest,
  mergeSlots,
  MOST_EVENTS,
  readOwnEvents,
  readSchedules,
  updateEventRequest,
} from '../../../knowledge/m365/calendar.ts'
import { Id } from '../../../knowledge/m365/values.ts'
import { invalid, read } from '../graph-client.ts'
import { type Operation, refuseRequest } from './operation.ts'

const Event = z.object({ id: Id })

export const checkAvailability: Operation<'calendar_check_availability'> = async (request, { graph }) => {
  const { attendee_emails, duration_minutes } = request
  const intervals =
    attendee_emails.length === 0
      ? readOwnEvents((await graph.list(listOwnEventsRequest(request), MOST_EVENTS)).items)
      : readSchedules(await graph.send(getScheduleRequest(attendee_emails, request)), request)
  if (intervals === undefined) throw invalid()
  const slots = mergeSlots(intervals, request, duration_minutes)
  return { result: { operation_family: 'calendar_check_availability', slots } }
}

export const createEvent: Operation<'calendar_create_event'> = async (request, { graph, dispatch_id }) => {
  const { id } = read(Event, await graph.send(createEventRequest(request, dispatch_id)))
  return { result: { operation_family: 'calendar_create_event', event_id: id, status: 'created' } }
}

export const updateEvent: Operation<'calendar_update_event'> = async (request, { graph }) => {
  if (!hasChange(request)) throw refuseRequest('event_id', 'name at least one field to change')
  const { id } = read(Event, await graph.send(updateEventRequest(request.event_id, request)))
  return { result: { operation_family: 'calendar_update_event', event_id: id, status: 'updated' } }
}
