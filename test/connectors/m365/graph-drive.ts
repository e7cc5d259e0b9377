import { fail, type GraphCall, type GraphRoute, ok, page } from './graph-reply.ts'
import { type GraphItem, OWN_DRIVE } from './graph-state.ts'

const FILES = ['Files.Read.All', 'Files.Read']
const PAGE_SIZE = 2

function toItem({ url, query }: GraphCall, drive: string, { id, name, mime, content, modified }: GraphItem) {
  const isWanted = query.get('$select')?.includes('@microsoft.graph.downloadUrl') === true
  const base = new URL(url).origin
  return {
    id,
    name,
    lastModifiedDateTime: modified,
    webUrl: `https://contoso.sharepoint.com/${encodeURIComponent(name)}`,
    parentReference: { driveId: drive },
    ...(content === undefined ? { folder: { childCount: 1 } } : { file: { mimeType: mime }, size: content.length }),
    ...(isWanted && content !== undefined
      ? { '@microsoft.graph.downloadUrl': `${base}/download/${encodeURIComponent(drive)}/${id}` }
      : {}),
  }
}

function listChildren(call: GraphCall, drive: string, folder: string) {
  const items = call.state.drives[drive]
  if (items === undefined) return fail(404, 'itemNotFound')
  const children = items.filter(({ parent_id }) => parent_id === folder)
  return page(
    call,
    children.map((item) => toItem(call, drive, item)),
    PAGE_SIZE,
  )
}

function getItem(call: GraphCall, drive: string, id: string) {
  const item = call.state.drives[drive]?.find((one) => one.id === id)
  return item === undefined ? fail(404, 'itemNotFound') : ok(toItem(call, drive, item))
}

const findSite = ({ state }: GraphCall, named: string) =>
  state.sites.find(({ id, host, path }) => id === named || `${host}:${path}:` === named)

export const driveRoutes: readonly GraphRoute[] = [
  {
    method: 'GET',
    path: /^\/sites\/(.+)\/drive\/(?:root|items\/([^/]+))\/children$/,
    scopes: ['Sites.Read.All'],
    handle: (call) => {
      const [named = '', folder = 'root'] = call.parts
      const site = findSite(call, named)
      return site === undefined ? fail(404, 'itemNotFound') : listChildren(call, site.drive, folder)
    },
  },
  {
    method: 'GET',
    path: /^\/drives\/([^/]+)\/(?:root|items\/([^/]+))\/children$/,
    scopes: FILES,
    handle: (call) => listChildren(call, call.parts[0] ?? '', call.parts[1] ?? 'root'),
  },
  {
    method: 'GET',
    path: /^\/drives\/([^/]+)\/items\/([^/]+)$/,
    scopes: FILES,
    handle: (call) => getItem(call, call.parts[0] ?? '', call.parts[1] ?? ''),
  },
  {
    method: 'GET',
    path: /^\/me\/drive\/items\/([^/]+)$/,
    scopes: FILES,
    handle: (call) => getItem(call, OWN_DRIVE, call.parts[0] ?? ''),
  },
]
