import type { FileTree } from '../host/file-tree.ts'
import { hasPattern, matchPattern, type Part, type PatternPart } from './patterns.ts'

/** Splits parts into words at the separators. Parts marked `whole` are not split. */
export function splitFields(parts: readonly Part[], separators: string): (readonly Part[])[] {
  if (parts.length === 0) return []
  if (parts.every(({ whole, begins }) => whole && begins !== true)) return [parts]
  const fields: Part[][] = []
  let open: Part[] | undefined
  const push = (part: Part): void => {
    if (open === undefined) fields.push((open = []))
    open.push(part)
  }
  for (const part of parts) {
    if (part.begins === true) open = undefined
    if (part.whole) {
      push(part)
      continue
    }
    for (const [index, text] of splitText(part.text, separators).entries()) {
      if (index > 0) open = undefined
      if (text !== '') push({ ...part, text })
      else if (index > 0 && part.text !== '' && /\S/.test(separators)) push({ ...part, text })
    }
  }
  return fields.filter((field) => field.some(({ text, quoted }) => text !== '' || quoted))
}

/** Splits a text at separators. Blanks beside each other are one separator, as are those around another. */
export function splitText(text: string, separators: string, limit = Number.POSITIVE_INFINITY): string[] {
  const fields: string[] = []
  let [start, at] = [0, 0]
  while (at < text.length && fields.length < limit - 1) {
    if (!separators.includes(text[at] ?? '')) {
      at += 1
      continue
    }
    fields.push(text.slice(start, at))
    at = skipSeparator(text, at, separators)
    start = at
  }
  fields.push(text.slice(start))
  return fields
}

function skipSeparator(text: string, from: number, separators: string): number {
  let [at, others] = [from, 0]
  for (; at < text.length && separators.includes(text[at] ?? ''); at += 1) {
    const isBlank = /\s/.test(text[at] ?? '')
    if (!isBlank && others === 1) break
    if (!isBlank) others += 1
  }
  return at
}

/** Expands a file pattern, folder by folder. Returns the pattern itself when no file matches. */
export function matchFiles(field: readonly Part[], files: FileTree): readonly string[] {
  const text = field.map((part) => part.text).join('')
  if (!hasPattern(field)) return [text]
  const isAbsolute = text.startsWith('/')
  let found = [isAbsolute ? '/' : '']
  for (const component of splitPath(field)) {
    found = found.flatMap((folder) => matchComponent(folder, component, files))
    if (found.length === 0) return [text]
  }
  return found
}

function splitPath(field: readonly PatternPart[]): readonly (readonly PatternPart[])[] {
  const components: PatternPart[][] = [[]]
  for (const { text, quoted } of field) {
    for (const [index, piece] of text.split('/').entries()) {
      if (index > 0) components.push([])
      if (piece !== '') components.at(-1)?.push({ text: piece, quoted })
    }
  }
  return components.filter((component) => component.length > 0)
}

function matchComponent(folder: string, component: readonly PatternPart[], files: FileTree): readonly string[] {
  const name = component.map(({ text }) => text).join('')
  const path = folder === '' || folder.endsWith('/') ? folder : `${folder}/`
  if (!hasPattern(component)) return files.stat(`${path}${name}`) === undefined ? [] : [`${path}${name}`]
  if (folder !== '' && !files.isFolder(folder)) return []
  return files
    .list(folder === '' ? '.' : folder)
    .map((entry) => entry.name)
    .filter((entry) => entry.startsWith('.') === name.startsWith('.') && matchPattern(component, entry))
    .map((entry) => `${path}${entry}`)
}
