import { z } from 'zod'
import type { M365Request } from '@apprentice/contracts/connectors/m365/operations.ts'
import { type DriveItemKey, formatDocumentRef, listItemSegments, parseDocumentRef } from './document-ref.ts'
import { get, type GraphRequest } from './graph-request.ts'
import { clip, Id, readItems, Text, toTime, toUrl } from './values.ts'

const DOWNLOAD_URL = '@microsoft.graph.downloadUrl'
const SELECTED = 'id,name,size,file,lastModifiedDateTime,webUrl,parentReference'
const LARGEST_PAGE = 200

export const DriveItem = z.object({
  id: Id,
  name: Text,
  size: z.number().min(0).nullish(),
  file: z.looseObject({ mimeType: Text }).nullish(),
  lastModifiedDateTime: Text,
  webUrl: Text,
  parentReference: z.looseObject({ driveId: z.string().max(200).nullish() }).nullish(),
  [DOWNLOAD_URL]: Text,
})
export type DriveItem = z.infer<typeof DriveItem>

export interface FoundDocument {
  readonly document_ref: string
  readonly title: string
  readonly modified_at?: string | undefined
  readonly url?: string | undefined
}

/** Lists a folder of a library, or its root. Undefined if a reference is not one. */
export function listDocumentsRequest(
  request: Pick<M365Request<'sharepoint_list_documents'>, 'site_ref' | 'drive_ref' | 'folder_ref'>,
): GraphRequest | undefined {
  const folder = request.folder_ref === undefined ? undefined : parseDocumentRef(request.folder_ref)
  if (request.folder_ref !== undefined && folder === undefined) return undefined
  const root = folder?.drive_id === undefined ? listDriveSegments(request) : ['drives', folder.drive_id]
  if (root === undefined) return undefined
  const place = folder === undefined ? ['root'] : ['items', folder.item_id]
  return get([...root, ...place, 'children'], { $select: SELECTED, $top: String(LARGEST_PAGE) })
}

/** The children of a folder that a document_ref names. */
export const listFolderRequest = (folder: DriveItemKey): GraphRequest =>
  get([...listItemSegments(folder), 'children'], { $select: SELECTED, $top: String(LARGEST_PAGE) })

function listDriveSegments({ site_ref, drive_ref }: { site_ref: string; drive_ref?: string | undefined }) {
  if (drive_ref !== undefined) return /^[A-Za-z0-9!_.=-]+$/.test(drive_ref) ? ['drives', drive_ref] : undefined
  const site = listSiteSegments(site_ref)
  return site === undefined ? undefined : [...site, 'drive']
}

const HOST = /^[A-Za-z0-9.-]+$/
const SITE_ID = /^[A-Za-z0-9.,_-]+$/

/** A site is named by its id, or by its host and path. */
function listSiteSegments(ref: string): string[] | undefined {
  const [host = '', path, ...rest] = ref.split(':')
  if (path === undefined) return SITE_ID.test(ref) && !/^\.+$/.test(ref) ? ['sites', ref] : undefined
  const folders = path.split('/').filter((folder) => folder !== '')
  const isPath = path.startsWith('/') && folders.length > 0 && folders.every((folder) => !/^\.+$/.test(folder))
  if (rest.length > 0 || !HOST.test(host) || !isPath) return undefined
  // Graph marks the beginning and the end of the path with colons.
  return ['sites', `${host}:`, ...folders.slice(0, -1), `${folders.at(-1)}:`]
}

export function toDocuments(items: readonly unknown[], max: number): FoundDocument[] {
  return readItems(DriveItem, items)
    .filter(({ file }) => file !== undefined && file !== null)
    .slice(0, max)
    .map((item) => ({
      document_ref: formatItemRef(item),
      title: clip(item.name),
      modified_at: toTime(item.lastModifiedDateTime),
      url: toUrl(item.webUrl),
    }))
}

/** Facts about one item, with the address from which its content is read without a token. */
export const getItemRequest = (key: DriveItemKey): GraphRequest =>
  get(listItemSegments(key), { $select: `${SELECTED},${DOWNLOAD_URL}` })

export const formatItemRef = ({ id, parentReference }: DriveItem, asked?: DriveItemKey): string => {
  const drive_id = parentReference?.driveId ?? asked?.drive_id
  return formatDocumentRef({ drive_id: drive_id ?? undefined, item_id: id })
}

export const readDownloadUrl = (item: DriveItem): string | undefined => toUrl(item[DOWNLOAD_URL])

const WORD_TYPE = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'

export const isWordDocument = ({ name, file }: DriveItem): boolean =>
  file?.mimeType === WORD_TYPE || (name ?? '').toLowerCase().endsWith('.docx')

/** The newest document whose title contains the words of the hint. */
export function chooseLatest(found: readonly FoundDocument[], hint: string | undefined): FoundDocument | undefined {
  const words = (hint ?? '').toLowerCase().split(/\s+/).filter(Boolean)
  return found
    .filter(({ title }) => words.every((word) => title.toLowerCase().includes(word)))
    .toSorted((a, b) => (b.modified_at ?? '').localeCompare(a.modified_at ?? ''))[0]
}
