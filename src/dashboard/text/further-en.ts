import { enConnectors } from './en-connectors.ts'
import { enDocuments } from './en-documents.ts'
import { enScenes } from './en-scenes.ts'

/** The daemon describes each receipt in English. */
const enReceipts: { readonly receiptKinds: Readonly<Record<string, string>> } = { receiptKinds: {} }

/** The texts of pages that are not needed for the first one. */
export const furtherEn = { ...enConnectors, ...enDocuments, ...enScenes, ...enReceipts }
