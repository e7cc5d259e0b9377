import { GLYPH_COLUMNS, GLYPH_ROWS } from '../../model/text-metrics.ts'

/**
 * The phone's font: five columns, seven rows above the baseline and two below. Each row of a glyph is
 * one base-32 digit. The leftmost pixel is its highest bit.
 */
const SHAPES = `
A ehhvhhh|B uhhuhhu|C ehggghe|D uhhhhhu|E vgguggv|F vgguggg|G ehgnhhf|H hhhvhhh|I e44444e
J 72222ic|K hikokih|L ggggggv|M hrllhhh|N hpljhhh|O ehhhhhe|P uhhuggg|Q ehhhlid|R uhhukih
S fgge11u|T v444444|U hhhhhhe|V hhhhha4|W hhhllla|X hha4ahh|Y hha4444|Z v1248gv
0 ehjlphe|1 4c4444e|2 eh1248v|3 v2421he|4 26aiv22|5 vgu11he|6 68guhhe|7 v124888|8 ehhehhe|9 ehhf12c
a 00e1fhf|b ggmphhu|c 00egghe|d 11djhhf|e 00ehvge|f 698s888|g 00fhhhf1e|h ggmphhh|i 40c444e
j 2062222ic|k ggikoki|l c44444e|m 00qllhh|n 00mphhh|o 00ehhhe|p 00uhhhugg|q 00fhhhf11|r 00mpggg
s 00ege1u|t 88s8896|u 00hhhjd|v 00hhha4|w 00hhlla|x 00ha4ah|y 00hhhhf1e|z 00v248v
! 4444404|" aaa|# aavavaa|$ 4fke5u4|% op248j3|& cik8lid|' 448|( 2488842|) 8422248|* 04lel4|+ 044v44
, 00000cc48|- 000v|. 00000cc|/ 01248g|: 0cc0cc|; 0cc0cc48|< 248g842|= 00v0v|> 8421248|? eh12404
@ eh1dlle|[ e88888e|\\ 0g8421|] e22222e|^ 4ah|_ 000000v|\` 842|{ 2448442|} 8442448|~ 008l2
° ciic|• 00eee|… 00000ll|– 000v|— 000v|‘ 248|’ 448|“ lka|” laa|„ 00000aak|€ 69s8s96|ß ciikiik|× 00a4a|✓ 0112ik8|· 0004
`

const GLYPHS = new Map<string, readonly number[]>([[' ', parseRows('')]])
for (const entry of SHAPES.trim().split(/[\n|]/)) {
  const [char, digits] = [entry.slice(0, 1), entry.slice(2)]
  GLYPHS.set(char, parseRows(digits))
}
// The bar separates the entries above, so its glyph is set here.
GLYPHS.set('|', parseRows('4444444'))

/** The glyph of characters that the font lacks. */
const MISSING_GLYPH = parseRows('vhhhhhv')
const ACCENT_ROW = 0

/** The pixel rows of a character. An accented letter is its base letter with an accent row. */
export function findGlyph(char: string): readonly number[] {
  const known = GLYPHS.get(char)
  if (known !== undefined) return known
  const base = char.normalize('NFD')
  const letter = base === char ? undefined : GLYPHS.get(base.slice(0, 1))
  if (letter === undefined) return MISSING_GLYPH
  return letter.map((row, index) => (index === ACCENT_ROW ? 0b01010 : row))
}

function parseRows(digits: string): readonly number[] {
  const rows = Array.from(digits.padEnd(GLYPH_ROWS, '0'), (digit) => Number.parseInt(digit, 32))
  return rows.map((row) => row & ((1 << GLYPH_COLUMNS) - 1))
}
