import type { M365OperationFamily } from '@apprentice/contracts/connectors/m365-families.ts'
import type { M365OperationRequest } from '@apprentice/contracts/connectors/m365/operations.ts'
import { checkAvailability, createEvent, updateEvent } from './calendar.ts'
import { fetchFile, getLatestDocument, listDocuments } from './files.ts'
import { draftReply, getThread, searchMail } from './mail.ts'
import type { Operation, OperationAnswer, OperationDeps } from './operation.ts'
import { search } from './search.ts'
import { getChannelContext, postMessage } from './teams.ts'
import { fetchComments, fetchContent } from './word.ts'

/** The compiler compares each with its family; the family of a request is known when it runs. */
const OPERATIONS: { readonly [Family in M365OperationFamily]: Operation<Family> } = {
  search,
  sharepoint_list_documents: listDocuments,
  onedrive_fetch_file: fetchFile,
  project_get_latest_document: getLatestDocument,
  outlook_mail_search: searchMail,
  outlook_get_thread: getThread,
  outlook_draft_reply: draftReply,
  calendar_check_availability: checkAvailability,
  calendar_create_event: createEvent,
  calendar_update_event: updateEvent,
  word_fetch_content: fetchContent,
  word_fetch_comments: fetchComments,
  teams_post_message: postMessage,
  teams_get_channel_context: getChannelContext,
}

/** Performs the operation of a request. */
export function runOperation(request: M365OperationRequest, deps: OperationDeps): Promise<OperationAnswer> {
  const run: (request: never, deps: OperationDeps) => Promise<OperationAnswer> = OPERATIONS[request.operation_family]
  return run(request as never, deps)
}
