import { z } from 'zod'
import { DateTime } from '../../base/fields.ts'
import { M365Ref, M365Time } from '../m365-families.ts'
import { OutlookTarget } from './target.ts'

const Title = z.string().min(1).max(240)
const Attendees = z.array(z.email().max(240)).max(100)

export const MailSearchFields = {
  query: z.string().min(1).max(1000),
  folder: z.string().min(1).max(120).optional().describe('The id or well-known name of a folder, such as inbox'),
  max_results: z.int().min(1).max(100).default(25),
}

export const MailSearchResult = z.object({
  operation_family: z.literal('outlook_mail_search'),
  messages: z.array(
    z.object({
      message_id: M365Ref,
      subject: z.string().max(240),
      from: z.string().max(240).optional(),
      received_at: DateTime.optional(),
    }),
  ),
})

export const ThreadFields = { target: OutlookTarget }

export const ThreadResult = z.object({
  operation_family: z.literal('outlook_get_thread'),
  thread_id: M365Ref,
  message_ids: z.array(M365Ref).describe('Oldest first'),
})

export const DraftReplyFields = {
  target: OutlookTarget.describe('A message, or a thread, whose last message is answered'),
  body_markdown: z.string().min(1).max(40_000),
  subject_override: Title.optional(),
}

export const DraftReplyResult = z.object({
  operation_family: z.literal('outlook_draft_reply'),
  draft_id: M365Ref,
  thread_id: M365Ref.optional(),
  status: z.enum(['draft_created', 'draft_updated']),
})

export const AvailabilityFields = {
  attendee_emails: Attendees.describe('Without one: the own calendar'),
  time_min: M365Time,
  time_max: M365Time,
  duration_minutes: z.int().min(15).max(480).optional().describe('Free slots that are shorter are left out'),
}

export const AvailabilityResult = z.object({
  operation_family: z.literal('calendar_check_availability'),
  slots: z.array(
    z.object({ start_time: DateTime, end_time: DateTime, state: z.enum(['free', 'busy', 'tentative', 'unknown']) }),
  ),
})

export const CreateEventFields = {
  title: Title,
  start_time: M365Time,
  end_time: M365Time,
  attendee_emails: Attendees,
  location: z.string().max(240).optional(),
  body_markdown: z.string().max(20_000).optional(),
}

export const CreateEventResult = z.object({
  operation_family: z.literal('calendar_create_event'),
  event_id: M365Ref,
  status: z.literal('created'),
})

export const UpdateEventFields = {
  event_id: M365Ref,
  title: Title.optional(),
  start_time: M365Time.optional(),
  end_time: M365Time.optional(),
  attendee_emails: Attendees.optional(),
  location: CreateEventFields.location,
  body_markdown: CreateEventFields.body_markdown,
}

export const UpdateEventResult = z.object({
  operation_family: z.literal('calendar_update_event'),
  event_id: M365Ref,
  status: z.literal('updated'),
})
