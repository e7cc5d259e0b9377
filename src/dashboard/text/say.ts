import { signal } from '@preact/signals'
import { language } from './text.ts'
import type { SaidFailure, Translator } from './said/translator.ts'

/** Undefined in the language of the API, and until the texts are there. */
const translator = signal<Translator | undefined>(undefined)

/**
 * Loads what the API says in the language of the page. The first page does not wait for it: what was displayed in the
 * API's own words is displayed again.
 */
export async function loadSaid(): Promise<void> {
  if (language === 'de') translator.value = (await import('./said/de-said.ts')).deSaid
}

/** Words of the API in the language of the page. */
export const say = (words: string): string => translator.value?.say(words) ?? words

/** What went wrong, in the language of the page. */
export const sayFailure = (failure: SaidFailure): string => translator.value?.sayFailure(failure) ?? failure.message
