import { MONTH_NAME_CHOICE } from './period-text.ts'

export const THIS_MONTH = '本月|这月|当月'

const YEAR = String.raw`(?<!\d)(?:19|20)\d\d`
const DAY = String.raw`(?:0?[1-9]|[12]\d|3[01])(?!\d)`
const DAY_IN_WORDS = '[一二三四五六七八九十]{1,3}'
const NAME = String.raw`(?<![a-z])(?:${MONTH_NAME_CHOICE})(?![a-z])\.?`
const NAME_AND_YEAR = String.raw`(?:${NAME},? ?(?:of )?(?:${YEAR}(?!\d))?|${YEAR}[ ,-]{1,2}${NAME})`
const NUMBERED_MONTH = String.raw`(?:(?:(?:19|20)\d\d|[今本去前]年的?)年?)?(?<!\d)\d{1,2}月份?`
const YEAR_AND_MONTH = String.raw`${YEAR}[-/.]\d{1,2}(?!\d)`
const NEAR_MONTH = `(?:${THIS_MONTH}|上上?月)份?`
const NEAR_WEEK = '(?:上上?|本|这|当|下)周'
const WORD_BEFORE = String.raw`(?<![a-z])(?:last|previous|this|current)`
const NEAR_IN_WORDS = String.raw`${WORD_BEFORE} (?:month|week)(?![a-z])`
const WEEKDAY = '(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|weekend)'
/** A month or a week in any of the ways in which it may be written. */
const ANY = `(?:${NAME_AND_YEAR}|${NUMBERED_MONTH}|${YEAR_AND_MONTH}|${NEAR_MONTH}|${NEAR_WEEK}|${NEAR_IN_WORDS})`
const ORDINAL = String.raw`(?:first|second|third|fourth|fifth|last|final|[1-5](?:st|nd|rd|th))`

/**
 * Words that name another time than a month or a week, though they contain the name of one. They must not be read as that
 * month or week. The text is normalized.
 */
export const OTHER_TIMES = {
  /** Read before everything else: days, numbers of months, and from a month until now. */
  days: [
    String.raw`${YEAR}[-/.]\d{1,2}[-/.]\d{1,2}(?!\d)`,
    String.raw`${NUMBERED_MONTH}(?:\d{1,2}|${DAY_IN_WORDS})[日号]`,
    String.raw`${NEAR_MONTH}(?:的| )?(?:\d{1,2}|${DAY_IN_WORDS})[日号]`,
    // A number that stands alone after the month.
    String.raw`${NUMBERED_MONTH}${DAY}(?=$|[\s,;、。])`,
    String.raw`(?<!\d)${DAY}(?:st|nd|rd|th)?(?: of)?[ -]${NAME}`,
    String.raw`${YEAR}[ ,-]{1,2}${NAME}[ -]${DAY}`,
    String.raw`${NAME} ${DAY}(?:st|nd|rd|th)?(?![a-z])`,
    String.raw`(?:${NEAR_WEEK}|\d{1,2}周)的?周?[一二三四五六日天末](?![年月周])`,
    String.raw`(?<![a-z])${WEEKDAY}(?: of| in)? (?:${WORD_BEFORE} week(?![a-z])|w(?:eek)? ?\d{1,2}(?!\d))`,
    String.raw`${WORD_BEFORE} week(?:'s| on)? ${WEEKDAY}(?![a-z])`,
    String.raw`(?:近|前|后|过去|未来|每|隔|连续) ?\d{1,2}(?:月|周)`,
    String.raw`${NUMBERED_MONTH}(?:至今|以来|起|到现在)`,
    String.raw`${YEAR}[-/.]\d{1,2} ?(?:至今|以来|起|到现在)`,
  ],
  /** Read after two months that are joined: parts of a month, and everything before or after it. */
  parts: [
    String.raw`${ANY}的?(?:[上中下]旬|[上下]半月|初(?![始次步级])|底(?![数层])|末(?![端级])|[之以][前后]|[前后](?=$|[\s,;、。的]))`,
    String.raw`(?:截至|截止到?|直到|自从|(?<!来)自|从) ?${ANY}`,
    String.raw`(?<![a-z])(?:${ORDINAL} (?:week|weeks|half|days?|weekend)|early|mid|late|end|beginning|start|middle)(?: of| in|-)? ?(?:the )?${ANY}`,
    String.raw`(?<![a-z])(?:since|until|till|before|after|through|up to|starting|ending)(?: from| in)? (?:the )?${ANY}`,
  ],
} as const
