# Long chains and deep recursion, as generated sources and trees have them.
import sys

total = 0 + 1 + 2 + 3 + 4 + 5 + 6 + 7 + 8 + 9 + 10 + 11 + 12 + 13 + 14 + 15 + 16 + 17 + 18 + 19 + 20 + 21 + 22 + 23 + 24 + 25 + 26 + 27 + 28 + 29 + 30 + 31 + 32 + 33 + 34 + 35 + 36 + 37 + 38 + 39 + 40 + 41 + 42 + 43 + 44 + 45 + 46 + 47 + 48 + 49 + 50 + 51 + 52 + 53 + 54 + 55 + 56 + 57 + 58 + 59 + 60 + 61 + 62 + 63 + 64 + 65 + 66 + 67 + 68 + 69 + 70 + 71 + 72 + 73 + 74 + 75 + 76 + 77 + 78 + 79 + 80 + 81 + 82 + 83 + 84 + 85 + 86 + 87 + 88 + 89 + 90 + 91 + 92 + 93 + 94 + 95 + 96 + 97 + 98 + 99 + 100 + 101 + 102 + 103 + 104 + 105 + 106 + 107 + 108 + 109 + 110 + 111 + 112 + 113 + 114 + 115 + 116 + 117 + 118 + 119 + 120 + 121 + 122 + 123 + 124 + 125 + 126 + 127 + 128 + 129 + 130 + 131 + 132 + 133 + 134 + 135 + 136 + 137 + 138 + 139 + 140 + 141 + 142 + 143 + 144 + 145 + 146 + 147 + 148 + 149 + 150 + 151 + 152 + 153 + 154 + 155 + 156 + 157 + 158 + 159 + 160 + 161 + 162 + 163 + 164 + 165 + 166 + 167 + 168 + 169 + 170 + 171 + 172 + 173 + 174 + 175 + 176 + 177 + 178 + 179 + 180 + 181 + 182 + 183 + 184 + 185 + 186 + 187 + 188 + 189 + 190 + 191 + 192 + 193 + 194 + 195 + 196 + 197 + 198 + 199 + 200 + 201 + 202 + 203 + 204 + 205 + 206 + 207 + 208 + 209 + 210 + 211 + 212 + 213 + 214 + 215 + 216 + 217 + 218 + 219 + 220 + 221 + 222 + 223 + 224 + 225 + 226 + 227 + 228 + 229 + 230 + 231 + 232 + 233 + 234 + 235 + 236 + 237 + 238 + 239 + 240 + 241 + 242 + 243 + 244 + 245 + 246 + 247 + 248 + 249 + 250 + 251 + 252 + 253 + 254 + 255 + 256 + 257 + 258 + 259 + 260 + 261 + 262 + 263 + 264 + 265 + 266 + 267 + 268 + 269 + 270 + 271 + 272 + 273 + 274 + 275 + 276 + 277 + 278 + 279 + 280 + 281 + 282 + 283 + 284 + 285 + 286 + 287 + 288 + 289 + 290 + 291 + 292 + 293 + 294 + 295 + 296 + 297 + 298 + 299 + 300 + 301 + 302 + 303 + 304 + 305 + 306 + 307 + 308 + 309 + 310 + 311 + 312 + 313 + 314 + 315 + 316 + 317 + 318 + 319 + 320 + 321 + 322 + 323 + 324 + 325 + 326 + 327 + 328 + 329 + 330 + 331 + 332 + 333 + 334 + 335 + 336 + 337 + 338 + 339 + 340 + 341 + 342 + 343 + 344 + 345 + 346 + 347 + 348 + 349 + 350 + 351 + 352 + 353 + 354 + 355 + 356 + 357 + 358 + 359 + 360 + 361 + 362 + 363 + 364 + 365 + 366 + 367 + 368 + 369 + 370 + 371 + 372 + 373 + 374 + 375 + 376 + 377 + 378 + 379 + 380 + 381 + 382 + 383 + 384 + 385 + 386 + 387 + 388 + 389 + 390 + 391 + 392 + 393 + 394 + 395 + 396 + 397 + 398 + 399 + 400 + 401 + 402 + 403 + 404 + 405 + 406 + 407 + 408 + 409 + 410 + 411 + 412 + 413 + 414 + 415 + 416 + 417 + 418 + 419 + 420 + 421 + 422 + 423 + 424 + 425 + 426 + 427 + 428 + 429 + 430 + 431 + 432 + 433 + 434 + 435 + 436 + 437 + 438 + 439 + 440 + 441 + 442 + 443 + 444 + 445 + 446 + 447 + 448 + 449 + 450 + 451 + 452 + 453 + 454 + 455 + 456 + 457 + 458 + 459 + 460 + 461 + 462 + 463 + 464 + 465 + 466 + 467 + 468 + 469 + 470 + 471 + 472 + 473 + 474 + 475 + 476 + 477 + 478 + 479 + 480 + 481 + 482 + 483 + 484 + 485 + 486 + 487 + 488 + 489 + 490 + 491 + 492 + 493 + 494 + 495 + 496 + 497 + 498 + 499
print(total)
flags = False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or 'last'
print(flags)
text = 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab'
print(len(text))


def kind(x):
    if x == 0:
        return 'none'
    elif x == 1:
        return 'kind 1'
    elif x == 2:
        return 'kind 2'
    elif x == 3:
        return 'kind 3'
    elif x == 4:
        return 'kind 4'
    elif x == 5:
        return 'kind 5'
    elif x == 6:
        return 'kind 6'
    elif x == 7:
        return 'kind 7'
    elif x == 8:
        return 'kind 8'
    elif x == 9:
        return 'kind 9'
    elif x == 10:
        return 'kind 10'
    elif x == 11:
        return 'kind 11'
    elif x == 12:
        return 'kind 12'
    elif x == 13:
        return 'kind 13'
    elif x == 14:
        return 'kind 14'
    elif x == 15:
        return 'kind 15'
    elif x == 16:
        return 'kind 16'
    elif x == 17:
        return 'kind 17'
    elif x == 18:
        return 'kind 18'
    elif x == 19:
        return 'kind 19'
    elif x == 20:
        return 'kind 20'
    elif x == 21:
        return 'kind 21'
    elif x == 22:
        return 'kind 22'
    elif x == 23:
        return 'kind 23'
    elif x == 24:
        return 'kind 24'
    elif x == 25:
        return 'kind 25'
    elif x == 26:
        return 'kind 26'
    elif x == 27:
        return 'kind 27'
    elif x == 28:
        return 'kind 28'
    elif x == 29:
        return 'kind 29'
    elif x == 30:
        return 'kind 30'
    elif x == 31:
        return 'kind 31'
    elif x == 32:
        return 'kind 32'
    elif x == 33:
        return 'kind 33'
    elif x == 34:
        return 'kind 34'
    elif x == 35:
        return 'kind 35'
    elif x == 36:
        return 'kind 36'
    elif x == 37:
        return 'kind 37'
    elif x == 38:
        return 'kind 38'
    elif x == 39:
        return 'kind 39'
    elif x == 40:
        return 'kind 40'
    elif x == 41:
        return 'kind 41'
    elif x == 42:
        return 'kind 42'
    elif x == 43:
        return 'kind 43'
    elif x == 44:
        return 'kind 44'
    elif x == 45:
        return 'kind 45'
    elif x == 46:
        return 'kind 46'
    elif x == 47:
        return 'kind 47'
    elif x == 48:
        return 'kind 48'
    elif x == 49:
        return 'kind 49'
    elif x == 50:
        return 'kind 50'
    elif x == 51:
        return 'kind 51'
    elif x == 52:
        return 'kind 52'
    elif x == 53:
        return 'kind 53'
    elif x == 54:
        return 'kind 54'
    elif x == 55:
        return 'kind 55'
    elif x == 56:
        return 'kind 56'
    elif x == 57:
        return 'kind 57'
    elif x == 58:
        return 'kind 58'
    elif x == 59:
        return 'kind 59'
    elif x == 60:
        return 'kind 60'
    elif x == 61:
        return 'kind 61'
    elif x == 62:
        return 'kind 62'
    elif x == 63:
        return 'kind 63'
    elif x == 64:
        return 'kind 64'
    elif x == 65:
        return 'kind 65'
    elif x == 66:
        return 'kind 66'
    elif x == 67:
        return 'kind 67'
    elif x == 68:
        return 'kind 68'
    elif x == 69:
        return 'kind 69'
    elif x == 70:
        return 'kind 70'
    elif x == 71:
        return 'kind 71'
    elif x == 72:
        return 'kind 72'
    elif x == 73:
        return 'kind 73'
    elif x == 74:
        return 'kind 74'
    elif x == 75:
        return 'kind 75'
    elif x == 76:
        return 'kind 76'
    elif x == 77:
        return 'kind 77'
    elif x == 78:
        return 'kind 78'
    elif x == 79:
        return 'kind 79'
    elif x == 80:
        return 'kind 80'
    elif x == 81:
        return 'kind 81'
    elif x == 82:
        return 'kind 82'
    elif x == 83:
        return 'kind 83'
    elif x == 84:
        return 'kind 84'
    elif x == 85:
        return 'kind 85'
    elif x == 86:
        return 'kind 86'
    elif x == 87:
        return 'kind 87'
    elif x == 88:
        return 'kind 88'
    elif x == 89:
        return 'kind 89'
    elif x == 90:
        return 'kind 90'
    elif x == 91:
        return 'kind 91'
    elif x == 92:
        return 'kind 92'
    elif x == 93:
        return 'kind 93'
    elif x == 94:
        return 'kind 94'
    elif x == 95:
        return 'kind 95'
    elif x == 96:
        return 'kind 96'
    elif x == 97:
        return 'kind 97'
    elif x == 98:
        return 'kind 98'
    elif x == 99:
        return 'kind 99'
    elif x == 100:
        return 'kind 100'
    elif x == 101:
        return 'kind 101'
    elif x == 102:
        return 'kind 102'
    elif x == 103:
        return 'kind 103'
    elif x == 104:
        return 'kind 104'
    elif x == 105:
        return 'kind 105'
    elif x == 106:
        return 'kind 106'
    elif x == 107:
        return 'kind 107'
    elif x == 108:
        return 'kind 108'
    elif x == 109:
        return 'kind 109'
    elif x == 110:
        return 'kind 110'
    elif x == 111:
        return 'kind 111'
    elif x == 112:
        return 'kind 112'
    elif x == 113:
        return 'kind 113'
    elif x == 114:
        return 'kind 114'
    elif x == 115:
        return 'kind 115'
    elif x == 116:
        return 'kind 116'
    elif x == 117:
        return 'kind 117'
    elif x == 118:
        return 'kind 118'
    elif x == 119:
        return 'kind 119'
    elif x == 120:
        return 'kind 120'
    elif x == 121:
        return 'kind 121'
    elif x == 122:
        return 'kind 122'
    elif x == 123:
        return 'kind 123'
    elif x == 124:
        return 'kind 124'
    elif x == 125:
        return 'kind 125'
    elif x == 126:
        return 'kind 126'
    elif x == 127:
        return 'kind 127'
    elif x == 128:
        return 'kind 128'
    elif x == 129:
        return 'kind 129'
    elif x == 130:
        return 'kind 130'
    elif x == 131:
        return 'kind 131'
    elif x == 132:
        return 'kind 132'
    elif x == 133:
        return 'kind 133'
    elif x == 134:
        return 'kind 134'
    elif x == 135:
        return 'kind 135'
    elif x == 136:
        return 'kind 136'
    elif x == 137:
        return 'kind 137'
    elif x == 138:
        return 'kind 138'
    elif x == 139:
        return 'kind 139'
    elif x == 140:
        return 'kind 140'
    elif x == 141:
        return 'kind 141'
    elif x == 142:
        return 'kind 142'
    elif x == 143:
        return 'kind 143'
    elif x == 144:
        return 'kind 144'
    elif x == 145:
        return 'kind 145'
    elif x == 146:
        return 'kind 146'
    elif x == 147:
        return 'kind 147'
    elif x == 148:
        return 'kind 148'
    elif x == 149:
        return 'kind 149'
    elif x == 150:
        return 'kind 150'
    elif x == 151:
        return 'kind 151'
    elif x == 152:
        return 'kind 152'
    elif x == 153:
        return 'kind 153'
    elif x == 154:
        return 'kind 154'
    elif x == 155:
        return 'kind 155'
    elif x == 156:
        return 'kind 156'
    elif x == 157:
        return 'kind 157'
    elif x == 158:
        return 'kind 158'
    elif x == 159:
        return 'kind 159'
    elif x == 160:
        return 'kind 160'
    elif x == 161:
        return 'kind 161'
    elif x == 162:
        return 'kind 162'
    elif x == 163:
        return 'kind 163'
    elif x == 164:
        return 'kind 164'
    elif x == 165:
        return 'kind 165'
    elif x == 166:
        return 'kind 166'
    elif x == 167:
        return 'kind 167'
    elif x == 168:
        return 'kind 168'
    elif x == 169:
        return 'kind 169'
    elif x == 170:
        return 'kind 170'
    elif x == 171:
        return 'kind 171'
    elif x == 172:
        return 'kind 172'
    elif x == 173:
        return 'kind 173'
    elif x == 174:
        return 'kind 174'
    elif x == 175:
        return 'kind 175'
    elif x == 176:
        return 'kind 176'
    elif x == 177:
        return 'kind 177'
    elif x == 178:
        return 'kind 178'
    elif x == 179:
        return 'kind 179'
    elif x == 180:
        return 'kind 180'
    elif x == 181:
        return 'kind 181'
    elif x == 182:
        return 'kind 182'
    elif x == 183:
        return 'kind 183'
    elif x == 184:
        return 'kind 184'
    elif x == 185:
        return 'kind 185'
    elif x == 186:
        return 'kind 186'
    elif x == 187:
        return 'kind 187'
    elif x == 188:
        return 'kind 188'
    elif x == 189:
        return 'kind 189'
    elif x == 190:
        return 'kind 190'
    elif x == 191:
        return 'kind 191'
    elif x == 192:
        return 'kind 192'
    elif x == 193:
        return 'kind 193'
    elif x == 194:
        return 'kind 194'
    elif x == 195:
        return 'kind 195'
    elif x == 196:
        return 'kind 196'
    elif x == 197:
        return 'kind 197'
    elif x == 198:
        return 'kind 198'
    elif x == 199:
        return 'kind 199'
    elif x == 200:
        return 'kind 200'
    elif x == 201:
        return 'kind 201'
    elif x == 202:
        return 'kind 202'
    elif x == 203:
        return 'kind 203'
    elif x == 204:
        return 'kind 204'
    elif x == 205:
        return 'kind 205'
    elif x == 206:
        return 'kind 206'
    elif x == 207:
        return 'kind 207'
    elif x == 208:
        return 'kind 208'
    elif x == 209:
        return 'kind 209'
    elif x == 210:
        return 'kind 210'
    elif x == 211:
        return 'kind 211'
    elif x == 212:
        return 'kind 212'
    elif x == 213:
        return 'kind 213'
    elif x == 214:
        return 'kind 214'
    elif x == 215:
        return 'kind 215'
    elif x == 216:
        return 'kind 216'
    elif x == 217:
        return 'kind 217'
    elif x == 218:
        return 'kind 218'
    elif x == 219:
        return 'kind 219'
    elif x == 220:
        return 'kind 220'
    elif x == 221:
        return 'kind 221'
    elif x == 222:
        return 'kind 222'
    elif x == 223:
        return 'kind 223'
    elif x == 224:
        return 'kind 224'
    elif x == 225:
        return 'kind 225'
    elif x == 226:
        return 'kind 226'
    elif x == 227:
        return 'kind 227'
    elif x == 228:
        return 'kind 228'
    elif x == 229:
        return 'kind 229'
    elif x == 230:
        return 'kind 230'
    elif x == 231:
        return 'kind 231'
    elif x == 232:
        return 'kind 232'
    elif x == 233:
        return 'kind 233'
    elif x == 234:
        return 'kind 234'
    elif x == 235:
        return 'kind 235'
    elif x == 236:
        return 'kind 236'
    elif x == 237:
        return 'kind 237'
    elif x == 238:
        return 'kind 238'
    elif x == 239:
        return 'kind 239'
    elif x == 240:
        return 'kind 240'
    elif x == 241:
        return 'kind 241'
    elif x == 242:
        return 'kind 242'
    elif x == 243:
        return 'kind 243'
    elif x == 244:
        return 'kind 244'
    elif x == 245:
        return 'kind 245'
    elif x == 246:
        return 'kind 246'
    elif x == 247:
        return 'kind 247'
    elif x == 248:
        return 'kind 248'
    elif x == 249:
        return 'kind 249'
    elif x == 250:
        return 'kind 250'
    elif x == 251:
        return 'kind 251'
    elif x == 252:
        return 'kind 252'
    elif x == 253:
        return 'kind 253'
    elif x == 254:
        return 'kind 254'
    elif x == 255:
        return 'kind 255'
    elif x == 256:
        return 'kind 256'
    elif x == 257:
        return 'kind 257'
    elif x == 258:
        return 'kind 258'
    elif x == 259:
        return 'kind 259'
    elif x == 260:
        return 'kind 260'
    elif x == 261:
        return 'kind 261'
    elif x == 262:
        return 'kind 262'
    elif x == 263:
        return 'kind 263'
    elif x == 264:
        return 'kind 264'
    elif x == 265:
        return 'kind 265'
    elif x == 266:
        return 'kind 266'
    elif x == 267:
        return 'kind 267'
    elif x == 268:
        return 'kind 268'
    elif x == 269:
        return 'kind 269'
    elif x == 270:
        return 'kind 270'
    elif x == 271:
        return 'kind 271'
    elif x == 272:
        return 'kind 272'
    elif x == 273:
        return 'kind 273'
    elif x == 274:
        return 'kind 274'
    elif x == 275:
        return 'kind 275'
    elif x == 276:
        return 'kind 276'
    elif x == 277:
        return 'kind 277'
    elif x == 278:
        return 'kind 278'
    elif x == 279:
        return 'kind 279'
    elif x == 280:
        return 'kind 280'
    elif x == 281:
        return 'kind 281'
    elif x == 282:
        return 'kind 282'
    elif x == 283:
        return 'kind 283'
    elif x == 284:
        return 'kind 284'
    elif x == 285:
        return 'kind 285'
    elif x == 286:
        return 'kind 286'
    elif x == 287:
        return 'kind 287'
    elif x == 288:
        return 'kind 288'
    elif x == 289:
        return 'kind 289'
    elif x == 290:
        return 'kind 290'
    elif x == 291:
        return 'kind 291'
    elif x == 292:
        return 'kind 292'
    elif x == 293:
        return 'kind 293'
    elif x == 294:
        return 'kind 294'
    elif x == 295:
        return 'kind 295'
    elif x == 296:
        return 'kind 296'
    elif x == 297:
        return 'kind 297'
    elif x == 298:
        return 'kind 298'
    elif x == 299:
        return 'kind 299'
    elif x == 300:
        return 'kind 300'
    elif x == 301:
        return 'kind 301'
    elif x == 302:
        return 'kind 302'
    elif x == 303:
        return 'kind 303'
    elif x == 304:
        return 'kind 304'
    elif x == 305:
        return 'kind 305'
    elif x == 306:
        return 'kind 306'
    elif x == 307:
        return 'kind 307'
    elif x == 308:
        return 'kind 308'
    elif x == 309:
        return 'kind 309'
    elif x == 310:
        return 'kind 310'
    elif x == 311:
        return 'kind 311'
    elif x == 312:
        return 'kind 312'
    elif x == 313:
        return 'kind 313'
    elif x == 314:
        return 'kind 314'
    elif x == 315:
        return 'kind 315'
    elif x == 316:
        return 'kind 316'
    elif x == 317:
        return 'kind 317'
    elif x == 318:
        return 'kind 318'
    elif x == 319:
        return 'kind 319'
    elif x == 320:
        return 'kind 320'
    elif x == 321:
        return 'kind 321'
    elif x == 322:
        return 'kind 322'
    elif x == 323:
        return 'kind 323'
    elif x == 324:
        return 'kind 324'
    elif x == 325:
        return 'kind 325'
    elif x == 326:
        return 'kind 326'
    elif x == 327:
        return 'kind 327'
    elif x == 328:
        return 'kind 328'
    elif x == 329:
        return 'kind 329'
    elif x == 330:
        return 'kind 330'
    elif x == 331:
        return 'kind 331'
    elif x == 332:
        return 'kind 332'
    elif x == 333:
        return 'kind 333'
    elif x == 334:
        return 'kind 334'
    elif x == 335:
        return 'kind 335'
    elif x == 336:
        return 'kind 336'
    elif x == 337:
        return 'kind 337'
    elif x == 338:
        return 'kind 338'
    elif x == 339:
        return 'kind 339'
    elif x == 340:
        return 'kind 340'
    elif x == 341:
        return 'kind 341'
    elif x == 342:
        return 'kind 342'
    elif x == 343:
        return 'kind 343'
    elif x == 344:
        return 'kind 344'
    elif x == 345:
        return 'kind 345'
    elif x == 346:
        return 'kind 346'
    elif x == 347:
        return 'kind 347'
    elif x == 348:
        return 'kind 348'
    elif x == 349:
        return 'kind 349'
    elif x == 350:
        return 'kind 350'
    elif x == 351:
        return 'kind 351'
    elif x == 352:
        return 'kind 352'
    elif x == 353:
        return 'kind 353'
    elif x == 354:
        return 'kind 354'
    elif x == 355:
        return 'kind 355'
    elif x == 356:
        return 'kind 356'
    elif x == 357:
        return 'kind 357'
    elif x == 358:
        return 'kind 358'
    elif x == 359:
        return 'kind 359'
    elif x == 360:
        return 'kind 360'
    elif x == 361:
        return 'kind 361'
    elif x == 362:
        return 'kind 362'
    elif x == 363:
        return 'kind 363'
    elif x == 364:
        return 'kind 364'
    elif x == 365:
        return 'kind 365'
    elif x == 366:
        return 'kind 366'
    elif x == 367:
        return 'kind 367'
    elif x == 368:
        return 'kind 368'
    elif x == 369:
        return 'kind 369'
    elif x == 370:
        return 'kind 370'
    elif x == 371:
        return 'kind 371'
    elif x == 372:
        return 'kind 372'
    elif x == 373:
        return 'kind 373'
    elif x == 374:
        return 'kind 374'
    elif x == 375:
        return 'kind 375'
    elif x == 376:
        return 'kind 376'
    elif x == 377:
        return 'kind 377'
    elif x == 378:
        return 'kind 378'
    elif x == 379:
        return 'kind 379'
    elif x == 380:
        return 'kind 380'
    elif x == 381:
        return 'kind 381'
    elif x == 382:
        return 'kind 382'
    elif x == 383:
        return 'kind 383'
    elif x == 384:
        return 'kind 384'
    elif x == 385:
        return 'kind 385'
    elif x == 386:
        return 'kind 386'
    elif x == 387:
        return 'kind 387'
    elif x == 388:
        return 'kind 388'
    elif x == 389:
        return 'kind 389'
    elif x == 390:
        return 'kind 390'
    elif x == 391:
        return 'kind 391'
    elif x == 392:
        return 'kind 392'
    elif x == 393:
        return 'kind 393'
    elif x == 394:
        return 'kind 394'
    elif x == 395:
        return 'kind 395'
    elif x == 396:
        return 'kind 396'
    elif x == 397:
        return 'kind 397'
    elif x == 398:
        return 'kind 398'
    elif x == 399:
        return 'kind 399'
    elif x == 400:
        return 'kind 400'
    else:
        return 'other'


print(kind(0), kind(1), kind(400), kind(401))


def depth(n):
    return 0 if n == 0 else 1 + depth(n - 1)


print(depth(900))
try:
    depth(10000)
except RecursionError as error:
    print(type(error).__name__, str(error).startswith('maximum recursion depth exceeded'))
sys.setrecursionlimit(6000)
print(depth(1000), depth(4000), sys.getrecursionlimit())


class Node:
    def __init__(self, depth):
        self.child = Node(depth - 1) if depth > 0 else None

    def count(self):
        return 1 + (self.child.count() if self.child is not None else 0)


print(Node(1000).count())
try:
    sys.setrecursionlimit(0)
except ValueError as error:
    print(error)


# A generator has less stack than a function.
def generated():
    yield 0 + 1 + 2 + 3 + 4 + 5 + 6 + 7 + 8 + 9 + 10 + 11 + 12 + 13 + 14 + 15 + 16 + 17 + 18 + 19 + 20 + 21 + 22 + 23 + 24 + 25 + 26 + 27 + 28 + 29 + 30 + 31 + 32 + 33 + 34 + 35 + 36 + 37 + 38 + 39 + 40 + 41 + 42 + 43 + 44 + 45 + 46 + 47 + 48 + 49 + 50 + 51 + 52 + 53 + 54 + 55 + 56 + 57 + 58 + 59 + 60 + 61 + 62 + 63 + 64 + 65 + 66 + 67 + 68 + 69 + 70 + 71 + 72 + 73 + 74 + 75 + 76 + 77 + 78 + 79 + 80 + 81 + 82 + 83 + 84 + 85 + 86 + 87 + 88 + 89 + 90 + 91 + 92 + 93 + 94 + 95 + 96 + 97 + 98 + 99 + 100 + 101 + 102 + 103 + 104 + 105 + 106 + 107 + 108 + 109 + 110 + 111 + 112 + 113 + 114 + 115 + 116 + 117 + 118 + 119 + 120 + 121 + 122 + 123 + 124 + 125 + 126 + 127 + 128 + 129 + 130 + 131 + 132 + 133 + 134 + 135 + 136 + 137 + 138 + 139 + 140 + 141 + 142 + 143 + 144 + 145 + 146 + 147 + 148 + 149 + 150 + 151 + 152 + 153 + 154 + 155 + 156 + 157 + 158 + 159 + 160 + 161 + 162 + 163 + 164 + 165 + 166 + 167 + 168 + 169 + 170 + 171 + 172 + 173 + 174 + 175 + 176 + 177 + 178 + 179 + 180 + 181 + 182 + 183 + 184 + 185 + 186 + 187 + 188 + 189 + 190 + 191 + 192 + 193 + 194 + 195 + 196 + 197 + 198 + 199 + 200 + 201 + 202 + 203 + 204 + 205 + 206 + 207 + 208 + 209 + 210 + 211 + 212 + 213 + 214 + 215 + 216 + 217 + 218 + 219 + 220 + 221 + 222 + 223 + 224 + 225 + 226 + 227 + 228 + 229 + 230 + 231 + 232 + 233 + 234 + 235 + 236 + 237 + 238 + 239 + 240 + 241 + 242 + 243 + 244 + 245 + 246 + 247 + 248 + 249 + 250 + 251 + 252 + 253 + 254 + 255 + 256 + 257 + 258 + 259 + 260 + 261 + 262 + 263 + 264 + 265 + 266 + 267 + 268 + 269 + 270 + 271 + 272 + 273 + 274 + 275 + 276 + 277 + 278 + 279 + 280 + 281 + 282 + 283 + 284 + 285 + 286 + 287 + 288 + 289 + 290 + 291 + 292 + 293 + 294 + 295 + 296 + 297 + 298 + 299 + 300 + 301 + 302 + 303 + 304 + 305 + 306 + 307 + 308 + 309 + 310 + 311 + 312 + 313 + 314 + 315 + 316 + 317 + 318 + 319 + 320 + 321 + 322 + 323 + 324 + 325 + 326 + 327 + 328 + 329 + 330 + 331 + 332 + 333 + 334 + 335 + 336 + 337 + 338 + 339 + 340 + 341 + 342 + 343 + 344 + 345 + 346 + 347 + 348 + 349 + 350 + 351 + 352 + 353 + 354 + 355 + 356 + 357 + 358 + 359 + 360 + 361 + 362 + 363 + 364 + 365 + 366 + 367 + 368 + 369 + 370 + 371 + 372 + 373 + 374 + 375 + 376 + 377 + 378 + 379 + 380 + 381 + 382 + 383 + 384 + 385 + 386 + 387 + 388 + 389 + 390 + 391 + 392 + 393 + 394 + 395 + 396 + 397 + 398 + 399 + 400 + 401 + 402 + 403 + 404 + 405 + 406 + 407 + 408 + 409 + 410 + 411 + 412 + 413 + 414 + 415 + 416 + 417 + 418 + 419 + 420 + 421 + 422 + 423 + 424 + 425 + 426 + 427 + 428 + 429 + 430 + 431 + 432 + 433 + 434 + 435 + 436 + 437 + 438 + 439 + 440 + 441 + 442 + 443 + 444 + 445 + 446 + 447 + 448 + 449 + 450 + 451 + 452 + 453 + 454 + 455 + 456 + 457 + 458 + 459 + 460 + 461 + 462 + 463 + 464 + 465 + 466 + 467 + 468 + 469 + 470 + 471 + 472 + 473 + 474 + 475 + 476 + 477 + 478 + 479 + 480 + 481 + 482 + 483 + 484 + 485 + 486 + 487 + 488 + 489 + 490 + 491 + 492 + 493 + 494 + 495 + 496 + 497 + 498 + 499 + 500 + 501 + 502 + 503 + 504 + 505 + 506 + 507 + 508 + 509 + 510 + 511 + 512 + 513 + 514 + 515 + 516 + 517 + 518 + 519 + 520 + 521 + 522 + 523 + 524 + 525 + 526 + 527 + 528 + 529 + 530 + 531 + 532 + 533 + 534 + 535 + 536 + 537 + 538 + 539 + 540 + 541 + 542 + 543 + 544 + 545 + 546 + 547 + 548 + 549 + 550 + 551 + 552 + 553 + 554 + 555 + 556 + 557 + 558 + 559 + 560 + 561 + 562 + 563 + 564 + 565 + 566 + 567 + 568 + 569 + 570 + 571 + 572 + 573 + 574 + 575 + 576 + 577 + 578 + 579 + 580 + 581 + 582 + 583 + 584 + 585 + 586 + 587 + 588 + 589 + 590 + 591 + 592 + 593 + 594 + 595 + 596 + 597 + 598 + 599 + 600 + 601 + 602 + 603 + 604 + 605 + 606 + 607 + 608 + 609 + 610 + 611 + 612 + 613 + 614 + 615 + 616 + 617 + 618 + 619 + 620 + 621 + 622 + 623 + 624 + 625 + 626 + 627 + 628 + 629 + 630 + 631 + 632 + 633 + 634 + 635 + 636 + 637 + 638 + 639 + 640 + 641 + 642 + 643 + 644 + 645 + 646 + 647 + 648 + 649 + 650 + 651 + 652 + 653 + 654 + 655 + 656 + 657 + 658 + 659 + 660 + 661 + 662 + 663 + 664 + 665 + 666 + 667 + 668 + 669 + 670 + 671 + 672 + 673 + 674 + 675 + 676 + 677 + 678 + 679 + 680 + 681 + 682 + 683 + 684 + 685 + 686 + 687 + 688 + 689 + 690 + 691 + 692 + 693 + 694 + 695 + 696 + 697 + 698 + 699 + 700 + 701 + 702 + 703 + 704 + 705 + 706 + 707 + 708 + 709 + 710 + 711 + 712 + 713 + 714 + 715 + 716 + 717 + 718 + 719 + 720 + 721 + 722 + 723 + 724 + 725 + 726 + 727 + 728 + 729 + 730 + 731 + 732 + 733 + 734 + 735 + 736 + 737 + 738 + 739 + 740 + 741 + 742 + 743 + 744 + 745 + 746 + 747 + 748 + 749 + 750 + 751 + 752 + 753 + 754 + 755 + 756 + 757 + 758 + 759 + 760 + 761 + 762 + 763 + 764 + 765 + 766 + 767 + 768 + 769 + 770 + 771 + 772 + 773 + 774 + 775 + 776 + 777 + 778 + 779 + 780 + 781 + 782 + 783 + 784 + 785 + 786 + 787 + 788 + 789 + 790 + 791 + 792 + 793 + 794 + 795 + 796 + 797 + 798 + 799 + 800 + 801 + 802 + 803 + 804 + 805 + 806 + 807 + 808 + 809 + 810 + 811 + 812 + 813 + 814 + 815 + 816 + 817 + 818 + 819 + 820 + 821 + 822 + 823 + 824 + 825 + 826 + 827 + 828 + 829 + 830 + 831 + 832 + 833 + 834 + 835 + 836 + 837 + 838 + 839 + 840 + 841 + 842 + 843 + 844 + 845 + 846 + 847 + 848 + 849 + 850 + 851 + 852 + 853 + 854 + 855 + 856 + 857 + 858 + 859 + 860 + 861 + 862 + 863 + 864 + 865 + 866 + 867 + 868 + 869 + 870 + 871 + 872 + 873 + 874 + 875 + 876 + 877 + 878 + 879 + 880 + 881 + 882 + 883 + 884 + 885 + 886 + 887 + 888 + 889 + 890 + 891 + 892 + 893 + 894 + 895 + 896 + 897 + 898 + 899 + 900 + 901 + 902 + 903 + 904 + 905 + 906 + 907 + 908 + 909 + 910 + 911 + 912 + 913 + 914 + 915 + 916 + 917 + 918 + 919 + 920 + 921 + 922 + 923 + 924 + 925 + 926 + 927 + 928 + 929 + 930 + 931 + 932 + 933 + 934 + 935 + 936 + 937 + 938 + 939 + 940 + 941 + 942 + 943 + 944 + 945 + 946 + 947 + 948 + 949 + 950 + 951 + 952 + 953 + 954 + 955 + 956 + 957 + 958 + 959 + 960 + 961 + 962 + 963 + 964 + 965 + 966 + 967 + 968 + 969 + 970 + 971 + 972 + 973 + 974 + 975 + 976 + 977 + 978 + 979 + 980 + 981 + 982 + 983 + 984 + 985 + 986 + 987 + 988 + 989 + 990 + 991 + 992 + 993 + 994 + 995 + 996 + 997 + 998 + 999 + 1000 + 1001 + 1002 + 1003 + 1004 + 1005 + 1006 + 1007 + 1008 + 1009 + 1010 + 1011 + 1012 + 1013 + 1014 + 1015 + 1016 + 1017 + 1018 + 1019 + 1020 + 1021 + 1022 + 1023 + 1024 + 1025 + 1026 + 1027 + 1028 + 1029 + 1030 + 1031 + 1032 + 1033 + 1034 + 1035 + 1036 + 1037 + 1038 + 1039 + 1040 + 1041 + 1042 + 1043 + 1044 + 1045 + 1046 + 1047 + 1048 + 1049 + 1050 + 1051 + 1052 + 1053 + 1054 + 1055 + 1056 + 1057 + 1058 + 1059 + 1060 + 1061 + 1062 + 1063 + 1064 + 1065 + 1066 + 1067 + 1068 + 1069 + 1070 + 1071 + 1072 + 1073 + 1074 + 1075 + 1076 + 1077 + 1078 + 1079 + 1080 + 1081 + 1082 + 1083 + 1084 + 1085 + 1086 + 1087 + 1088 + 1089 + 1090 + 1091 + 1092 + 1093 + 1094 + 1095 + 1096 + 1097 + 1098 + 1099 + 1100 + 1101 + 1102 + 1103 + 1104 + 1105 + 1106 + 1107 + 1108 + 1109 + 1110 + 1111 + 1112 + 1113 + 1114 + 1115 + 1116 + 1117 + 1118 + 1119 + 1120 + 1121 + 1122 + 1123 + 1124 + 1125 + 1126 + 1127 + 1128 + 1129 + 1130 + 1131 + 1132 + 1133 + 1134 + 1135 + 1136 + 1137 + 1138 + 1139 + 1140 + 1141 + 1142 + 1143 + 1144 + 1145 + 1146 + 1147 + 1148 + 1149 + 1150 + 1151 + 1152 + 1153 + 1154 + 1155 + 1156 + 1157 + 1158 + 1159 + 1160 + 1161 + 1162 + 1163 + 1164 + 1165 + 1166 + 1167 + 1168 + 1169 + 1170 + 1171 + 1172 + 1173 + 1174 + 1175 + 1176 + 1177 + 1178 + 1179 + 1180 + 1181 + 1182 + 1183 + 1184 + 1185 + 1186 + 1187 + 1188 + 1189 + 1190 + 1191 + 1192 + 1193 + 1194 + 1195 + 1196 + 1197 + 1198 + 1199 + 1200 + 1201 + 1202 + 1203 + 1204 + 1205 + 1206 + 1207 + 1208 + 1209 + 1210 + 1211 + 1212 + 1213 + 1214 + 1215 + 1216 + 1217 + 1218 + 1219 + 1220 + 1221 + 1222 + 1223 + 1224 + 1225 + 1226 + 1227 + 1228 + 1229 + 1230 + 1231 + 1232 + 1233 + 1234 + 1235 + 1236 + 1237 + 1238 + 1239 + 1240 + 1241 + 1242 + 1243 + 1244 + 1245 + 1246 + 1247 + 1248 + 1249 + 1250 + 1251 + 1252 + 1253 + 1254 + 1255 + 1256 + 1257 + 1258 + 1259 + 1260 + 1261 + 1262 + 1263 + 1264 + 1265 + 1266 + 1267 + 1268 + 1269 + 1270 + 1271 + 1272 + 1273 + 1274 + 1275 + 1276 + 1277 + 1278 + 1279 + 1280 + 1281 + 1282 + 1283 + 1284 + 1285 + 1286 + 1287 + 1288 + 1289 + 1290 + 1291 + 1292 + 1293 + 1294 + 1295 + 1296 + 1297 + 1298 + 1299 + 1300 + 1301 + 1302 + 1303 + 1304 + 1305 + 1306 + 1307 + 1308 + 1309 + 1310 + 1311 + 1312 + 1313 + 1314 + 1315 + 1316 + 1317 + 1318 + 1319 + 1320 + 1321 + 1322 + 1323 + 1324 + 1325 + 1326 + 1327 + 1328 + 1329 + 1330 + 1331 + 1332 + 1333 + 1334 + 1335 + 1336 + 1337 + 1338 + 1339 + 1340 + 1341 + 1342 + 1343 + 1344 + 1345 + 1346 + 1347 + 1348 + 1349 + 1350 + 1351 + 1352 + 1353 + 1354 + 1355 + 1356 + 1357 + 1358 + 1359 + 1360 + 1361 + 1362 + 1363 + 1364 + 1365 + 1366 + 1367 + 1368 + 1369 + 1370 + 1371 + 1372 + 1373 + 1374 + 1375 + 1376 + 1377 + 1378 + 1379 + 1380 + 1381 + 1382 + 1383 + 1384 + 1385 + 1386 + 1387 + 1388 + 1389 + 1390 + 1391 + 1392 + 1393 + 1394 + 1395 + 1396 + 1397 + 1398 + 1399 + 1400
    yield False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or False or 'last'
    yield len('ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab' + 'ab')
    yield kind(400)
    import long_chains
    yield long_chains.TOTAL
    yield long_chains.kind(1199), long_chains.kind(-1)
    yield [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[['nested']]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]
    yield [0][0].real.real.real.real.real.real.real.real.real.real.real.real.real.real.real.real.real.real.real.real.real.real.real.real.real.real.real.real.real.real.real.real.real.real.real.real.real.real.real.real


for each in generated():
    print(each)


# What stands in a chain is called from no deeper than the chain's beginning.
def counted(n):
    return 0 if n == 0 else counted(n - 1) + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1


sys.setrecursionlimit(1000)
print(counted(900))
