import { deConnectors } from './de-connectors.ts'
import { deDocuments } from './de-documents.ts'
import { deReceipts } from './de-receipts.ts'
import { deFindings } from './said/de-findings.ts'
import { deScenes } from './de-scenes.ts'
import type { furtherEn } from './further-en.ts'

export const furtherDe: typeof furtherEn = {
  ...deConnectors,
  ...deDocuments,
  ...deScenes,
  ...deReceipts,
  findings: deFindings,
}
