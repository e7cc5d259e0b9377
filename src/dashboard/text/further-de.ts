import { deConnectors } from './de-connectors.ts'
import { deDocuments } from './de-documents.ts'
import { deScenes } from './de-scenes.ts'
import type { furtherEn } from './further-en.ts'

export const furtherDe: typeof furtherEn = { ...deConnectors, ...deDocuments, ...deScenes }
