import { language } from './text.ts'

/** The texts of pages that are not needed for the first one, in the chosen language. */
export const further =
  language === 'de' ? (await import('./further-de.ts')).furtherDe : (await import('./further-en.ts')).furtherEn
