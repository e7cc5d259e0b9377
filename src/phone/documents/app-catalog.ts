import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readAppDocument, type AppDocument } from './app-document.ts'

/** A fault of a document that was skipped. */
export interface DocumentReport {
  readonly file: string
  /** Path of the faulty field in the document. Empty if the file or folder cannot be read. */
  readonly path: string
  readonly reason: string
}

export interface AppCatalog {
  readonly documents: readonly AppDocument[]
  readonly reports: readonly DocumentReport[]
}

/** Reads all `*.json` files of the folders. An app in a later folder replaces one of the same package. */
export function readAppCatalog(folders: readonly string[]): AppCatalog {
  const documents = new Map<string, AppDocument>()
  const reports: DocumentReport[] = []
  for (const folder of folders) {
    for (const file of listDocumentFiles(folder, reports)) {
      const reading = readDocumentFile(file)
      if ('document' in reading) documents.set(reading.document.package, reading.document)
      else reports.push(...reading.reports)
    }
  }
  return { documents: [...documents.values()], reports }
}

/** The folder of the shipped apps. The bundled program finds it in the source tree. */
export function shippedAppsFolder(): string {
  const candidates = ['../apps/', '../src/phone/apps/']
  const folders = candidates.map((path) => fileURLToPath(new URL(path, import.meta.url)))
  const found = folders.find((folder) => existsSync(folder))
  if (found === undefined) throw new Error(`the folder of the shipped apps is missing: ${folders.join(' or ')}`)
  return found
}

function listDocumentFiles(folder: string, reports: DocumentReport[]): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .toSorted()
      .map((name) => join(folder, name))
  } catch (error) {
    reports.push({ file: folder, path: '', reason: formatError(error) })
    return []
  }
}

type DocumentFileReading = { readonly document: AppDocument } | { readonly reports: readonly DocumentReport[] }

/** The last reading of each file. Checking a document takes much longer than reading its text. */
const READINGS = new Map<string, { readonly source: string; readonly reading: DocumentFileReading }>()

/** Phones of one process share the documents, which are therefore frozen. */
function readDocumentFile(file: string): DocumentFileReading {
  let json: unknown
  try {
    json = readTreeFiles(JSON.parse(readFileSync(file, 'utf8')), dirname(file))
  } catch (error) {
    return { reports: [{ file, path: '', reason: formatError(error) }] }
  }
  const source = JSON.stringify(json)
  const last = READINGS.get(file)
  if (last?.source === source) return last.reading
  const reading = checkDocument(file, json)
  READINGS.set(file, { source, reading })
  return reading
}

function checkDocument(file: string, json: unknown): DocumentFileReading {
  const reading = readAppDocument(json)
  if (reading.ok) return { document: freeze(reading.document) }
  return { reports: reading.faults.map((fault) => ({ file, ...fault })) }
}

function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const part of Object.values(value)) freeze(part)
  return Object.freeze(value)
}

/** Replaces the names of tree files by their content. Files lie in the folder of the document. */
function readTreeFiles(json: unknown, folder: string): unknown {
  if (typeof json !== 'object' || json === null) return json
  for (const section of ['screens', 'dialogs']) {
    const holders: unknown = Reflect.get(json, section)
    if (typeof holders !== 'object' || holders === null) continue
    for (const holder of Object.values(holders)) {
      const tree: unknown = typeof holder === 'object' && holder !== null ? Reflect.get(holder, 'tree') : undefined
      if (typeof tree !== 'string' || tree.trimStart().startsWith('<')) continue
      const path = join(folder, basename(tree))
      if (existsSync(path)) Reflect.set(holder, 'tree', readFileSync(path, 'utf8'))
    }
  }
  return json
}

function formatError(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
