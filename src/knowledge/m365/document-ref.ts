/** An item of a drive of Microsoft 365. Without a drive it is in the drive of the signed-in person. */
export interface DriveItemKey {
  readonly drive_id?: string | undefined
  readonly item_id: string
}

const PREFIX = 'm365'
/** Ids of drives and items have no separators of paths, and no colons. */
const ID = /^[A-Za-z0-9!_.=-]{1,200}$/

/** The reference by which results name an item. It is not a path. */
export const formatDocumentRef = ({ drive_id, item_id }: DriveItemKey): string =>
  drive_id === undefined ? item_id : `${PREFIX}:${drive_id}:${item_id}`

/** Undefined if the text names no item. */
export function parseDocumentRef(ref: string): DriveItemKey | undefined {
  const parts = ref.split(':')
  const [first = '', drive_id = '', item_id = ''] = parts
  if (parts.length === 1 && isId(first)) return { item_id: first }
  if (parts.length === 3 && first === PREFIX && isId(drive_id) && isId(item_id)) return { drive_id, item_id }
  return undefined
}

/** A dot segment would lead to another resource. */
const isId = (text: string): boolean => ID.test(text) && text !== '.' && text !== '..'

/** The folders of the address of an item. */
export const listItemSegments = ({ drive_id, item_id }: DriveItemKey): string[] =>
  drive_id === undefined ? ['me', 'drive', 'items', item_id] : ['drives', drive_id, 'items', item_id]
