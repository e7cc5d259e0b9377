import { z } from 'zod'
import type { M365OperationFamily } from '@apprentice/contracts/connectors/m365-families.ts'
import { M365ToolInputs } from '@apprentice/contracts/connectors/m365/operations.ts'
import type { ToolFacts } from '../connectors/tool-facts.ts'
import { getScopeRule } from './scope-table.ts'

const DESCRIPTIONS: Readonly<Record<M365OperationFamily, readonly [title: string, description: string]>> = {
  search: ['Search Microsoft 365', 'Searches files, sites, mail and people.'],
  sharepoint_list_documents: ['List documents', 'Lists the documents of a SharePoint library or of a folder of it.'],
  onedrive_fetch_file: ['Get a file', 'Gets facts about a file, and its content if `include_content` is set.'],
  project_get_latest_document: ['Get the latest document of a project', 'Finds the newest document of a project.'],
  outlook_mail_search: ['Search mail', 'Searches the mailbox. The texts of the messages are not returned.'],
  outlook_get_thread: ['Get a mail thread', 'Lists the messages of a thread, oldest first.'],
  outlook_draft_reply: ['Draft a reply', 'Writes a draft of a reply. It is not sent.'],
  calendar_check_availability: ['Check availability', 'Says when people are free, busy or tentative.'],
  calendar_create_event: ['Create an event', 'Creates an event in the calendar and invites its attendees.'],
  calendar_update_event: ['Change an event', 'Changes the given fields of an event.'],
  word_fetch_content: ['Read a Word document', 'Reads the text of a Word document; `content_ref` names it.'],
  word_fetch_comments: ['Read the comments of a Word document', 'Lists the comments of a Word document.'],
  teams_post_message: ['Post a Teams message', 'Posts a message to a channel or a chat.'],
  teams_get_channel_context: ['Get a Teams channel', 'Gets the name of a channel and counts its recent messages.'],
}

/** The operations of a server as tools. The program defines them; the server is not asked. */
export const describeTools = (families: readonly M365OperationFamily[]): ToolFacts[] =>
  families.map((family) => {
    const [title, description] = DESCRIPTIONS[family]
    const reads_only = getScopeRule(family).action_class === 'read'
    return {
      name: family,
      title,
      description,
      input_schema: readSchema(family),
      annotations: {
        readOnlyHint: reads_only,
        destructiveHint: family === 'calendar_update_event',
        openWorldHint: true,
      },
      reads_only,
    }
  })

const schemas = new Map<M365OperationFamily, Record<string, unknown>>()

function readSchema(family: M365OperationFamily): Record<string, unknown> {
  const known = schemas.get(family)
  if (known !== undefined) return known
  const { $schema: _s, ...schema } = z.toJSONSchema(M365ToolInputs[family], { io: 'input', unrepresentable: 'any' })
  schemas.set(family, schema)
  return schema
}
