import { type DriveItemKey, parseDocumentRef } from '../../../knowledge/m365/document-ref.ts'
import {
  chooseLatest,
  DriveItem,
  formatItemRef,
  type FoundDocument,
  getItemRequest,
  listDocumentsRequest,
  listFolderRequest,
  readDownloadUrl,
  toDocuments,
} from '../../../knowledge/m365/drive-items.ts'
import type { GraphRequest } from '../../../knowledge/m365/graph-request.ts'
import { quotePhrase, readHits, searchRequests } from '../../../knowledge/m365/search-hits.ts'
import { clip } from '../../../knowledge/m365/values.ts'
import { GraphFault, invalid, read } from '../graph-client.ts'
import { type Operation, type OperationDeps, type ProjectPlaces, refuseRequest } from './operation.ts'

/** Folders are listed among documents, so more items are read than documents are returned. */
const MOST_ITEMS = 2000
const MOST_PLACES = 5
const SEARCHED_HITS = 50

export const listDocuments: Operation<'sharepoint_list_documents'> = async (request, { graph }) => {
  const asked = listDocumentsRequest(request)
  if (asked === undefined) throw refuseRequest('site_ref', 'it, or another reference, does not name a place')
  const { items } = await graph.list(asked, MOST_ITEMS)
  const documents = toDocuments(items, request.max_results)
  return { result: { operation_family: 'sharepoint_list_documents', documents } }
}

/** One item, and its key in full. */
export async function getItem(ref: string, { graph }: Pick<OperationDeps, 'graph'>) {
  const key: DriveItemKey | undefined = parseDocumentRef(ref)
  if (key === undefined) throw refuseRequest('document_ref', 'it does not name a document')
  const item = read(DriveItem, await graph.send(getItemRequest(key)))
  return { item, document_ref: formatItemRef(item, key) }
}

/** The address of the content of an item. Folders have none. */
export function getDownloadUrl(item: DriveItem): string {
  const url = readDownloadUrl(item)
  if (url !== undefined) return url
  if (item.file === undefined || item.file === null) throw refuseRequest('document_ref', 'it names a folder')
  throw invalid()
}

export const fetchFile: Operation<'onedrive_fetch_file'> = async (request, deps) => {
  const { item, document_ref } = await getItem(request.drive_item_ref, deps)
  const download_url = getDownloadUrl(item)
  const file_name = clip(item.name) || item.id
  const found = { operation_family: 'onedrive_fetch_file', document_ref, file_name } as const
  if (!request.include_content) return { result: { ...found, download_url } }
  const media_type = clip(item.file?.mimeType, 160) || 'application/octet-stream'
  const content_ref = await deps.saveContent(deps.graph.download(download_url), { file_name, media_type })
  return { result: { ...found, content_ref } }
}

/** The places of the project first. If it has none, or nothing is there, the search. */
export const getLatestDocument: Operation<'project_get_latest_document'> = async (request, deps) => {
  const { project_id, title_hint, document_role } = request
  const places = deps.findProject(project_id)
  const base = { operation_family: 'project_get_latest_document', project_id } as const
  const bound = places && chooseLatest(await listPlaces(places, deps), title_hint ?? document_role)
  if (bound !== undefined) {
    return { result: { ...base, document_ref: bound.document_ref, resolved_via: 'project_binding' } }
  }
  const found = chooseLatest(await searchProject(project_id, title_hint ?? document_role, deps), title_hint)
  if (found === undefined) return { result: { ...base, resolved_via: 'none' } }
  return { result: { ...base, document_ref: found.document_ref, resolved_via: 'connector_search' } }
}

async function listPlaces(
  { folder_refs, site_refs }: ProjectPlaces,
  { graph }: OperationDeps,
): Promise<FoundDocument[]> {
  const folders = folder_refs.flatMap((ref) => toPlaceRequest(ref) ?? [])
  const sites = site_refs.flatMap((ref) => toPlaceRequest(ref) ?? listDocumentsRequest({ site_ref: ref }) ?? [])
  const found: FoundDocument[] = []
  for (const request of [...folders, ...sites].slice(0, MOST_PLACES)) {
    found.push(...(await listPlace(request, graph)))
  }
  return found
}

/** A library, or a folder that a document_ref names. */
function toPlaceRequest(ref: string): GraphRequest | undefined {
  if (ref.startsWith('b!')) return listDocumentsRequest({ site_ref: '', drive_ref: ref })
  const key = parseDocumentRef(ref)
  return key === undefined || ref.includes('.') ? undefined : listFolderRequest(key)
}

/** A place that was removed, or that this person may not see, has no documents. */
async function listPlace(request: GraphRequest, graph: OperationDeps['graph']): Promise<FoundDocument[]> {
  try {
    return toDocuments((await graph.list(request, MOST_ITEMS)).items, MOST_ITEMS)
  } catch (error) {
    if (error instanceof GraphFault && error.facts.is_answer === true) return []
    throw error
  }
}

async function searchProject(
  projectId: string,
  hint: string | undefined,
  { graph }: OperationDeps,
): Promise<FoundDocument[]> {
  const query = [projectId, ...(hint === undefined ? [] : [hint])].map(quotePhrase).join(' AND ')
  const [request] = searchRequests({ query, sources: ['files'], size: SEARCHED_HITS, newest_first: true })
  if (request === undefined) return []
  return readHits([await graph.send(request)], SEARCHED_HITS).map(({ hit_id, title, modified_at }) => ({
    document_ref: hit_id,
    title,
    modified_at,
  }))
}
