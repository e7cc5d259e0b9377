import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readAppDocument, type AppDocument } from './app-document.ts'

/** A document that could not be used, and why. */
export interface DocumentReport {
  readonly file: string
  /** Place inside the document; empty when the file as a whole is at fault. */
  readonly path: string
  readonly reason: string
}

export interface AppCatalog {
  readonly documents: readonly AppDocument[]
  readonly reports: readonly DocumentReport[]
}

/** Reads every `*.json` of the folders. A later folder replaces apps of the same package. */
export function readAppCatalog(folders: readonly string[]): AppCatalog {
  const documents = new Map<string, AppDocument>()
  const reports: DocumentReport[] = []
  for (const folder of folders) {
    for (const file of documentFiles(folder, reports)) {
      const reading = readFile(file)
      if ('document' in reading) documents.set(reading.document.package, reading.document)
      else reports.push(...reading.reports)
    }
  }
  return { documents: [...documents.values()], reports }
}

/** The apps that come with the package; the built program finds them in the source tree. */
export function shippedAppsFolder(): string {
  const candidates = ['../apps/', '../src/phone/apps/']
  const folders = candidates.map((path) => fileURLToPath(new URL(path, import.meta.url)))
  const found = folders.find((folder) => existsSync(folder))
  if (found === undefined) throw new Error(`no shipped apps at ${folders.join(' or ')}`)
  return found
}

function documentFiles(folder: string, reports: DocumentReport[]): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .toSorted()
      .map((name) => join(folder, name))
  } catch (error) {
    reports.push({ file: folder, path: '', reason: messageOf(error) })
    return []
  }
}

function readFile(
  file: string,
): { readonly document: AppDocument } | { readonly reports: DocumentReport[] } {
  let json: unknown
  try {
    json = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    return { reports: [{ file, path: '', reason: messageOf(error) }] }
  }
  const reading = readAppDocument(json)
  if (reading.ok) return { document: reading.document }
  return { reports: reading.faults.map((fault) => ({ file, ...fault })) }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
