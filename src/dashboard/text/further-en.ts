import { enConnectors } from './en-connectors.ts'
import { enDocuments } from './en-documents.ts'
import { enScenes } from './en-scenes.ts'

/** The texts of pages that are not needed for the first one. */
export const furtherEn = { ...enConnectors, ...enDocuments, ...enScenes }
