import { parse } from 'parse5'
import type { ScenarioFile } from '../source/scenario.ts'
import { resolveReference, toFileKind } from '../source/scenario.ts'
import { listByTag, listElements, type PageElement, readAttribute } from './page-tree.ts'

/** A file as it was read. Its bytes are there if they are no text in UTF-8. */
export interface ReadFile {
  readonly path: string
  readonly bytes: number
  readonly text?: string | undefined
  readonly raw?: Uint8Array | undefined
}

/**
 * Decodes files that are not in UTF-8 by the encoding that a page declares: for itself, and for the scripts that it names.
 * A file without a declared encoding stays undecoded.
 */
export function decodeFiles(files: readonly ReadFile[]): ScenarioFile[] {
  const declared = new Map<string, string>()
  const decoded = new Map<string, string>()
  for (const { path, text, raw } of files) {
    if (toFileKind(path) !== 'page') continue
    const elements = listElements(parse(text ?? new TextDecoder('latin1').decode(raw)))
    const charset = findCharset(elements)
    const own = raw === undefined || charset === undefined ? undefined : decode(raw, charset)
    if (own !== undefined) decoded.set(path, own)
    for (const script of listByTag(elements, 'script')) {
      const target = resolveReference(path, readAttribute(script, 'src') ?? '')
      const name = readAttribute(script, 'charset') ?? charset
      if (target !== undefined && name !== undefined) declared.set(target, name)
    }
  }
  return files.map(({ path, bytes, text, raw }) => {
    const charset = declared.get(path)
    const other = raw === undefined || charset === undefined ? undefined : decode(raw, charset)
    const found = text ?? decoded.get(path) ?? other
    return { path, bytes, text: found, ...(raw !== undefined && found === undefined ? { is_undecoded: true } : {}) }
  })
}

/** `<meta charset="gbk">` or `<meta http-equiv="Content-Type" content="text/html; charset=gbk">` */
function findCharset(elements: readonly PageElement[]): string | undefined {
  for (const meta of listByTag(elements, 'meta')) {
    const charset = readAttribute(meta, 'charset')
    if (charset !== undefined) return charset
    const content = readAttribute(meta, 'content') ?? ''
    const part = content.split(';').find((one) => one.trim().toLowerCase().startsWith('charset='))
    if (part !== undefined) return part.slice(part.indexOf('=') + 1).trim()
  }
  return undefined
}

/** Undefined if the encoding is unknown or the bytes do not fit it. */
function decode(raw: Uint8Array, charset: string): string | undefined {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(raw)
  } catch {
    return undefined
  }
}
