import { Failure } from './failure.ts'

const FULL_CODES = /^(?:SQLITE_FULL|ENOSPC|EDQUOT|EFBIG)$/
const UNAVAILABLE_CODES = /^(?:SQLITE_(?:IOERR|READONLY|CANTOPEN|BUSY)(?:_[A-Z_]{1,40})?|EROFS|EIO)$/

/** Whether an error says that the disk of the home cannot be written now. The same may succeed later. */
export const isStorageError = (error: unknown): boolean => findStorageCode(error) !== undefined

/** The failure that clients get for an error of the disk. Undefined for all other errors. */
export function toStorageFailure(error: unknown): Failure | undefined {
  const code = findStorageCode(error)
  if (code === undefined) return undefined
  return new Failure(
    code,
    code === 'STORAGE_FULL'
      ? 'The disk of the daemon is full. Nothing was changed. Try again when there is room.'
      : 'The daemon cannot write to its disk now. Nothing was changed. Try again later.',
  )
}

export function findStorageCode(error: unknown): 'STORAGE_FULL' | 'STORE_UNAVAILABLE' | undefined {
  const code = (error as { code?: unknown } | null | undefined)?.code
  if (typeof code !== 'string') return undefined
  if (code === 'STORAGE_FULL' || FULL_CODES.test(code)) return 'STORAGE_FULL'
  return code === 'STORE_UNAVAILABLE' || UNAVAILABLE_CODES.test(code) ? 'STORE_UNAVAILABLE' : undefined
}
