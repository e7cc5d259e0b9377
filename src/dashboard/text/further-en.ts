import { enConnectors } from './en-connectors.ts'
import { enDocuments } from './en-documents.ts'
import { enScenes } from './en-scenes.ts'

/** The daemon describes receipts and findings in English. */
const enOfDaemon: Readonly<Record<'receiptKinds' | 'findings', Readonly<Record<string, string>>>> = {
  receiptKinds: {},
  findings: {},
}

/** The texts of pages that are not needed for the first one. */
export const furtherEn = { ...enConnectors, ...enDocuments, ...enScenes, ...enOfDaemon }
