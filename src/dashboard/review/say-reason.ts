import { say } from '../text/say.ts'

/** Why a test run ended as it did. A code may stand before the words. */
export const sayReason = (reason: string): string => say(reason.replace(/^[a-z_]+: /, ''))
