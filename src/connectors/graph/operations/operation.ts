import type { M365OperationFamily } from '@apprentice/contracts/connectors/m365-families.ts'
import type { M365OperationResult, M365Request } from '@apprentice/contracts/connectors/m365/operations.ts'
import type { OutlookTarget } from '@apprentice/contracts/connectors/m365/target.ts'
import { GraphFault, type GraphClient } from '../graph-client.ts'

/** What a file or text is called when it is stored. */
export interface ContentFacts {
  readonly file_name: string
  readonly media_type: string
}

/** Where the documents of a project are, as document_refs of folders and references of sites. */
export interface ProjectPlaces {
  readonly folder_refs: readonly string[]
  readonly site_refs: readonly string[]
}

/** What operations need besides their request. */
export interface OperationDeps {
  readonly graph: GraphClient
  readonly granted_scopes: readonly string[]
  /** The same for a call that is sent again, so that Graph does not do its work twice. */
  readonly dispatch_id: string
  readonly narrow_to?: OutlookTarget | undefined
  /** Stores a content and returns its reference. */
  readonly saveContent: (pieces: AsyncIterable<Buffer> | Iterable<Buffer>, facts: ContentFacts) => Promise<string>
  readonly findProject: (projectId: string) => ProjectPlaces | undefined
}

/** The answer of an operation. */
export interface OperationAnswer<Result = M365OperationResult> {
  readonly result: Result
  /** Scopes whose part of the answer is missing. */
  readonly missing_scopes?: readonly string[]
}

export type Operation<Family extends M365OperationFamily> = (
  request: M365Request<Family>,
  deps: OperationDeps,
) => Promise<OperationAnswer<Extract<M365OperationResult, { operation_family: Family }>>>

/** The request names something in a way that cannot be asked for. */
export const refuseRequest = (field: string, message: string): GraphFault =>
  new GraphFault({ reason_code: 'graph_invalid_request', message: `${field}: ${message}`, is_answer: true })
