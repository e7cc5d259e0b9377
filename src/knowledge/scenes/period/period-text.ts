/** Brings the ways to write a period to one: Arabic digits, 周 for a week, no measure words. The text is folded. */
export function normalizePeriodText(folded: string): string {
  return folded
    .replaceAll(/星期|礼拜|週/g, '周')
    .replaceAll('○', '〇')
    .replaceAll(/(上上?|本|这|当|下)一?个?(月|周)/g, '$1$2')
    .replaceAll(NUMERAL, (found, numeral: string, unit: string) => {
      const number = readNumeral(numeral)
      return number === undefined ? found : `${number}${unit}`
    })
    .replaceAll(/(?<=第 ?\d{1,2} ?)个(?=周)/g, '')
    .replaceAll(/(\d) ?(年|月|周) ?/g, '$1$2')
    .replaceAll(/第 ?(\d)/g, '第$1')
}

/** Not the last character of a word such as 统一. */
const NUMERAL = /(?<![统唯单同每任逐万])([〇零一二三四五六七八九十]{1,4})(?=(年|月|周))\2/g

const DIGITS = '零一二三四五六七八九'

/** Reads numerals up to 99, and years written digit by digit. */
function readNumeral(numeral: string): number | undefined {
  const text = numeral.replaceAll('〇', '零')
  const digit = (character: string): number => DIGITS.indexOf(character)
  if (!text.includes('十')) {
    // 二〇二六 is written digit by digit, and so is a single digit.
    return text.length === 1 || text.length === 4 ? Number(text.split('').map(digit).join('')) : undefined
  }
  const [tens = '', ones = '', ...more] = text.split('十')
  if (more.length > 0 || tens.length > 1 || ones.length > 1) return undefined
  return (tens === '' ? 1 : digit(tens)) * 10 + (ones === '' ? 0 : digit(ones))
}

export const MONTH_NAMES: Readonly<Record<string, number>> = Object.fromEntries(
  [
    'january',
    'february',
    'march',
    'april',
    'may',
    'june',
    'july',
    'august',
    'september',
    'october',
    'november',
    'december',
  ]
    .flatMap((name, at) => [
      [name, at + 1],
      [name.slice(0, 3), at + 1],
    ])
    .concat([['sept', 9]]),
)

/** The names of months as a choice of a pattern, the longest first. */
export const MONTH_NAME_CHOICE = Object.keys(MONTH_NAMES)
  .toSorted((a, b) => b.length - a.length)
  .join('|')
