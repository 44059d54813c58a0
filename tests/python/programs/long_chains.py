# Chains that a generator imports: see deep_and_long.py.
TOTAL = 0 + 1 + 2 + 3 + 4 + 5 + 6 + 7 + 8 + 9 + 10 + 11 + 12 + 13 + 14 + 15 + 16 + 17 + 18 + 19 + 20 + 21 + 22 + 23 + 24 + 25 + 26 + 27 + 28 + 29 + 30 + 31 + 32 + 33 + 34 + 35 + 36 + 37 + 38 + 39 + 40 + 41 + 42 + 43 + 44 + 45 + 46 + 47 + 48 + 49 + 50 + 51 + 52 + 53 + 54 + 55 + 56 + 57 + 58 + 59 + 60 + 61 + 62 + 63 + 64 + 65 + 66 + 67 + 68 + 69 + 70 + 71 + 72 + 73 + 74 + 75 + 76 + 77 + 78 + 79 + 80 + 81 + 82 + 83 + 84 + 85 + 86 + 87 + 88 + 89 + 90 + 91 + 92 + 93 + 94 + 95 + 96 + 97 + 98 + 99 + 100 + 101 + 102 + 103 + 104 + 105 + 106 + 107 + 108 + 109 + 110 + 111 + 112 + 113 + 114 + 115 + 116 + 117 + 118 + 119 + 120 + 121 + 122 + 123 + 124 + 125 + 126 + 127 + 128 + 129 + 130 + 131 + 132 + 133 + 134 + 135 + 136 + 137 + 138 + 139 + 140 + 141 + 142 + 143 + 144 + 145 + 146 + 147 + 148 + 149 + 150 + 151 + 152 + 153 + 154 + 155 + 156 + 157 + 158 + 159 + 160 + 161 + 162 + 163 + 164 + 165 + 166 + 167 + 168 + 169 + 170 + 171 + 172 + 173 + 174 + 175 + 176 + 177 + 178 + 179 + 180 + 181 + 182 + 183 + 184 + 185 + 186 + 187 + 188 + 189 + 190 + 191 + 192 + 193 + 194 + 195 + 196 + 197 + 198 + 199 + 200 + 201 + 202 + 203 + 204 + 205 + 206 + 207 + 208 + 209 + 210 + 211 + 212 + 213 + 214 + 215 + 216 + 217 + 218 + 219 + 220 + 221 + 222 + 223 + 224 + 225 + 226 + 227 + 228 + 229 + 230 + 231 + 232 + 233 + 234 + 235 + 236 + 237 + 238 + 239 + 240 + 241 + 242 + 243 + 244 + 245 + 246 + 247 + 248 + 249 + 250 + 251 + 252 + 253 + 254 + 255 + 256 + 257 + 258 + 259 + 260 + 261 + 262 + 263 + 264 + 265 + 266 + 267 + 268 + 269 + 270 + 271 + 272 + 273 + 274 + 275 + 276 + 277 + 278 + 279 + 280 + 281 + 282 + 283 + 284 + 285 + 286 + 287 + 288 + 289 + 290 + 291 + 292 + 293 + 294 + 295 + 296 + 297 + 298 + 299 + 300 + 301 + 302 + 303 + 304 + 305 + 306 + 307 + 308 + 309 + 310 + 311 + 312 + 313 + 314 + 315 + 316 + 317 + 318 + 319 + 320 + 321 + 322 + 323 + 324 + 325 + 326 + 327 + 328 + 329 + 330 + 331 + 332 + 333 + 334 + 335 + 336 + 337 + 338 + 339 + 340 + 341 + 342 + 343 + 344 + 345 + 346 + 347 + 348 + 349 + 350 + 351 + 352 + 353 + 354 + 355 + 356 + 357 + 358 + 359 + 360 + 361 + 362 + 363 + 364 + 365 + 366 + 367 + 368 + 369 + 370 + 371 + 372 + 373 + 374 + 375 + 376 + 377 + 378 + 379 + 380 + 381 + 382 + 383 + 384 + 385 + 386 + 387 + 388 + 389 + 390 + 391 + 392 + 393 + 394 + 395 + 396 + 397 + 398 + 399 + 400 + 401 + 402 + 403 + 404 + 405 + 406 + 407 + 408 + 409 + 410 + 411 + 412 + 413 + 414 + 415 + 416 + 417 + 418 + 419 + 420 + 421 + 422 + 423 + 424 + 425 + 426 + 427 + 428 + 429 + 430 + 431 + 432 + 433 + 434 + 435 + 436 + 437 + 438 + 439 + 440 + 441 + 442 + 443 + 444 + 445 + 446 + 447 + 448 + 449 + 450 + 451 + 452 + 453 + 454 + 455 + 456 + 457 + 458 + 459 + 460 + 461 + 462 + 463 + 464 + 465 + 466 + 467 + 468 + 469 + 470 + 471 + 472 + 473 + 474 + 475 + 476 + 477 + 478 + 479 + 480 + 481 + 482 + 483 + 484 + 485 + 486 + 487 + 488 + 489 + 490 + 491 + 492 + 493 + 494 + 495 + 496 + 497 + 498 + 499 + 500 + 501 + 502 + 503 + 504 + 505 + 506 + 507 + 508 + 509 + 510 + 511 + 512 + 513 + 514 + 515 + 516 + 517 + 518 + 519 + 520 + 521 + 522 + 523 + 524 + 525 + 526 + 527 + 528 + 529 + 530 + 531 + 532 + 533 + 534 + 535 + 536 + 537 + 538 + 539 + 540 + 541 + 542 + 543 + 544 + 545 + 546 + 547 + 548 + 549 + 550 + 551 + 552 + 553 + 554 + 555 + 556 + 557 + 558 + 559 + 560 + 561 + 562 + 563 + 564 + 565 + 566 + 567 + 568 + 569 + 570 + 571 + 572 + 573 + 574 + 575 + 576 + 577 + 578 + 579 + 580 + 581 + 582 + 583 + 584 + 585 + 586 + 587 + 588 + 589 + 590 + 591 + 592 + 593 + 594 + 595 + 596 + 597 + 598 + 599 + 600 + 601 + 602 + 603 + 604 + 605 + 606 + 607 + 608 + 609 + 610 + 611 + 612 + 613 + 614 + 615 + 616 + 617 + 618 + 619 + 620 + 621 + 622 + 623 + 624 + 625 + 626 + 627 + 628 + 629 + 630 + 631 + 632 + 633 + 634 + 635 + 636 + 637 + 638 + 639 + 640 + 641 + 642 + 643 + 644 + 645 + 646 + 647 + 648 + 649 + 650 + 651 + 652 + 653 + 654 + 655 + 656 + 657 + 658 + 659 + 660 + 661 + 662 + 663 + 664 + 665 + 666 + 667 + 668 + 669 + 670 + 671 + 672 + 673 + 674 + 675 + 676 + 677 + 678 + 679 + 680 + 681 + 682 + 683 + 684 + 685 + 686 + 687 + 688 + 689 + 690 + 691 + 692 + 693 + 694 + 695 + 696 + 697 + 698 + 699 + 700 + 701 + 702 + 703 + 704 + 705 + 706 + 707 + 708 + 709 + 710 + 711 + 712 + 713 + 714 + 715 + 716 + 717 + 718 + 719 + 720 + 721 + 722 + 723 + 724 + 725 + 726 + 727 + 728 + 729 + 730 + 731 + 732 + 733 + 734 + 735 + 736 + 737 + 738 + 739 + 740 + 741 + 742 + 743 + 744 + 745 + 746 + 747 + 748 + 749 + 750 + 751 + 752 + 753 + 754 + 755 + 756 + 757 + 758 + 759 + 760 + 761 + 762 + 763 + 764 + 765 + 766 + 767 + 768 + 769 + 770 + 771 + 772 + 773 + 774 + 775 + 776 + 777 + 778 + 779 + 780 + 781 + 782 + 783 + 784 + 785 + 786 + 787 + 788 + 789 + 790 + 791 + 792 + 793 + 794 + 795 + 796 + 797 + 798 + 799 + 800 + 801 + 802 + 803 + 804 + 805 + 806 + 807 + 808 + 809 + 810 + 811 + 812 + 813 + 814 + 815 + 816 + 817 + 818 + 819 + 820 + 821 + 822 + 823 + 824 + 825 + 826 + 827 + 828 + 829 + 830 + 831 + 832 + 833 + 834 + 835 + 836 + 837 + 838 + 839 + 840 + 841 + 842 + 843 + 844 + 845 + 846 + 847 + 848 + 849 + 850 + 851 + 852 + 853 + 854 + 855 + 856 + 857 + 858 + 859 + 860 + 861 + 862 + 863 + 864 + 865 + 866 + 867 + 868 + 869 + 870 + 871 + 872 + 873 + 874 + 875 + 876 + 877 + 878 + 879 + 880 + 881 + 882 + 883 + 884 + 885 + 886 + 887 + 888 + 889 + 890 + 891 + 892 + 893 + 894 + 895 + 896 + 897 + 898 + 899 + 900 + 901 + 902 + 903 + 904 + 905 + 906 + 907 + 908 + 909 + 910 + 911 + 912 + 913 + 914 + 915 + 916 + 917 + 918 + 919 + 920 + 921 + 922 + 923 + 924 + 925 + 926 + 927 + 928 + 929 + 930 + 931 + 932 + 933 + 934 + 935 + 936 + 937 + 938 + 939 + 940 + 941 + 942 + 943 + 944 + 945 + 946 + 947 + 948 + 949 + 950 + 951 + 952 + 953 + 954 + 955 + 956 + 957 + 958 + 959 + 960 + 961 + 962 + 963 + 964 + 965 + 966 + 967 + 968 + 969 + 970 + 971 + 972 + 973 + 974 + 975 + 976 + 977 + 978 + 979 + 980 + 981 + 982 + 983 + 984 + 985 + 986 + 987 + 988 + 989 + 990 + 991 + 992 + 993 + 994 + 995 + 996 + 997 + 998 + 999 + 1000 + 1001 + 1002 + 1003 + 1004 + 1005 + 1006 + 1007 + 1008 + 1009 + 1010 + 1011 + 1012 + 1013 + 1014 + 1015 + 1016 + 1017 + 1018 + 1019 + 1020 + 1021 + 1022 + 1023 + 1024 + 1025 + 1026 + 1027 + 1028 + 1029 + 1030 + 1031 + 1032 + 1033 + 1034 + 1035 + 1036 + 1037 + 1038 + 1039 + 1040 + 1041 + 1042 + 1043 + 1044 + 1045 + 1046 + 1047 + 1048 + 1049 + 1050 + 1051 + 1052 + 1053 + 1054 + 1055 + 1056 + 1057 + 1058 + 1059 + 1060 + 1061 + 1062 + 1063 + 1064 + 1065 + 1066 + 1067 + 1068 + 1069 + 1070 + 1071 + 1072 + 1073 + 1074 + 1075 + 1076 + 1077 + 1078 + 1079 + 1080 + 1081 + 1082 + 1083 + 1084 + 1085 + 1086 + 1087 + 1088 + 1089 + 1090 + 1091 + 1092 + 1093 + 1094 + 1095 + 1096 + 1097 + 1098 + 1099 + 1100 + 1101 + 1102 + 1103 + 1104 + 1105 + 1106 + 1107 + 1108 + 1109 + 1110 + 1111 + 1112 + 1113 + 1114 + 1115 + 1116 + 1117 + 1118 + 1119 + 1120 + 1121 + 1122 + 1123 + 1124 + 1125 + 1126 + 1127 + 1128 + 1129 + 1130 + 1131 + 1132 + 1133 + 1134 + 1135 + 1136 + 1137 + 1138 + 1139 + 1140 + 1141 + 1142 + 1143 + 1144 + 1145 + 1146 + 1147 + 1148 + 1149 + 1150 + 1151 + 1152 + 1153 + 1154 + 1155 + 1156 + 1157 + 1158 + 1159 + 1160 + 1161 + 1162 + 1163 + 1164 + 1165 + 1166 + 1167 + 1168 + 1169 + 1170 + 1171 + 1172 + 1173 + 1174 + 1175 + 1176 + 1177 + 1178 + 1179 + 1180 + 1181 + 1182 + 1183 + 1184 + 1185 + 1186 + 1187 + 1188 + 1189 + 1190 + 1191 + 1192 + 1193 + 1194 + 1195 + 1196 + 1197 + 1198 + 1199 + 1200 + 1201 + 1202 + 1203 + 1204 + 1205 + 1206 + 1207 + 1208 + 1209 + 1210 + 1211 + 1212 + 1213 + 1214 + 1215 + 1216 + 1217 + 1218 + 1219 + 1220 + 1221 + 1222 + 1223 + 1224 + 1225 + 1226 + 1227 + 1228 + 1229 + 1230 + 1231 + 1232 + 1233 + 1234 + 1235 + 1236 + 1237 + 1238 + 1239 + 1240 + 1241 + 1242 + 1243 + 1244 + 1245 + 1246 + 1247 + 1248 + 1249 + 1250 + 1251 + 1252 + 1253 + 1254 + 1255 + 1256 + 1257 + 1258 + 1259 + 1260 + 1261 + 1262 + 1263 + 1264 + 1265 + 1266 + 1267 + 1268 + 1269 + 1270 + 1271 + 1272 + 1273 + 1274 + 1275 + 1276 + 1277 + 1278 + 1279 + 1280 + 1281 + 1282 + 1283 + 1284 + 1285 + 1286 + 1287 + 1288 + 1289 + 1290 + 1291 + 1292 + 1293 + 1294 + 1295 + 1296 + 1297 + 1298 + 1299 + 1300 + 1301 + 1302 + 1303 + 1304 + 1305 + 1306 + 1307 + 1308 + 1309 + 1310 + 1311 + 1312 + 1313 + 1314 + 1315 + 1316 + 1317 + 1318 + 1319 + 1320 + 1321 + 1322 + 1323 + 1324 + 1325 + 1326 + 1327 + 1328 + 1329 + 1330 + 1331 + 1332 + 1333 + 1334 + 1335 + 1336 + 1337 + 1338 + 1339 + 1340 + 1341 + 1342 + 1343 + 1344 + 1345 + 1346 + 1347 + 1348 + 1349 + 1350 + 1351 + 1352 + 1353 + 1354 + 1355 + 1356 + 1357 + 1358 + 1359 + 1360 + 1361 + 1362 + 1363 + 1364 + 1365 + 1366 + 1367 + 1368 + 1369 + 1370 + 1371 + 1372 + 1373 + 1374 + 1375 + 1376 + 1377 + 1378 + 1379 + 1380 + 1381 + 1382 + 1383 + 1384 + 1385 + 1386 + 1387 + 1388 + 1389 + 1390 + 1391 + 1392 + 1393 + 1394 + 1395 + 1396 + 1397 + 1398 + 1399 + 1400


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
    elif x == 401:
        return 'kind 401'
    elif x == 402:
        return 'kind 402'
    elif x == 403:
        return 'kind 403'
    elif x == 404:
        return 'kind 404'
    elif x == 405:
        return 'kind 405'
    elif x == 406:
        return 'kind 406'
    elif x == 407:
        return 'kind 407'
    elif x == 408:
        return 'kind 408'
    elif x == 409:
        return 'kind 409'
    elif x == 410:
        return 'kind 410'
    elif x == 411:
        return 'kind 411'
    elif x == 412:
        return 'kind 412'
    elif x == 413:
        return 'kind 413'
    elif x == 414:
        return 'kind 414'
    elif x == 415:
        return 'kind 415'
    elif x == 416:
        return 'kind 416'
    elif x == 417:
        return 'kind 417'
    elif x == 418:
        return 'kind 418'
    elif x == 419:
        return 'kind 419'
    elif x == 420:
        return 'kind 420'
    elif x == 421:
        return 'kind 421'
    elif x == 422:
        return 'kind 422'
    elif x == 423:
        return 'kind 423'
    elif x == 424:
        return 'kind 424'
    elif x == 425:
        return 'kind 425'
    elif x == 426:
        return 'kind 426'
    elif x == 427:
        return 'kind 427'
    elif x == 428:
        return 'kind 428'
    elif x == 429:
        return 'kind 429'
    elif x == 430:
        return 'kind 430'
    elif x == 431:
        return 'kind 431'
    elif x == 432:
        return 'kind 432'
    elif x == 433:
        return 'kind 433'
    elif x == 434:
        return 'kind 434'
    elif x == 435:
        return 'kind 435'
    elif x == 436:
        return 'kind 436'
    elif x == 437:
        return 'kind 437'
    elif x == 438:
        return 'kind 438'
    elif x == 439:
        return 'kind 439'
    elif x == 440:
        return 'kind 440'
    elif x == 441:
        return 'kind 441'
    elif x == 442:
        return 'kind 442'
    elif x == 443:
        return 'kind 443'
    elif x == 444:
        return 'kind 444'
    elif x == 445:
        return 'kind 445'
    elif x == 446:
        return 'kind 446'
    elif x == 447:
        return 'kind 447'
    elif x == 448:
        return 'kind 448'
    elif x == 449:
        return 'kind 449'
    elif x == 450:
        return 'kind 450'
    elif x == 451:
        return 'kind 451'
    elif x == 452:
        return 'kind 452'
    elif x == 453:
        return 'kind 453'
    elif x == 454:
        return 'kind 454'
    elif x == 455:
        return 'kind 455'
    elif x == 456:
        return 'kind 456'
    elif x == 457:
        return 'kind 457'
    elif x == 458:
        return 'kind 458'
    elif x == 459:
        return 'kind 459'
    elif x == 460:
        return 'kind 460'
    elif x == 461:
        return 'kind 461'
    elif x == 462:
        return 'kind 462'
    elif x == 463:
        return 'kind 463'
    elif x == 464:
        return 'kind 464'
    elif x == 465:
        return 'kind 465'
    elif x == 466:
        return 'kind 466'
    elif x == 467:
        return 'kind 467'
    elif x == 468:
        return 'kind 468'
    elif x == 469:
        return 'kind 469'
    elif x == 470:
        return 'kind 470'
    elif x == 471:
        return 'kind 471'
    elif x == 472:
        return 'kind 472'
    elif x == 473:
        return 'kind 473'
    elif x == 474:
        return 'kind 474'
    elif x == 475:
        return 'kind 475'
    elif x == 476:
        return 'kind 476'
    elif x == 477:
        return 'kind 477'
    elif x == 478:
        return 'kind 478'
    elif x == 479:
        return 'kind 479'
    elif x == 480:
        return 'kind 480'
    elif x == 481:
        return 'kind 481'
    elif x == 482:
        return 'kind 482'
    elif x == 483:
        return 'kind 483'
    elif x == 484:
        return 'kind 484'
    elif x == 485:
        return 'kind 485'
    elif x == 486:
        return 'kind 486'
    elif x == 487:
        return 'kind 487'
    elif x == 488:
        return 'kind 488'
    elif x == 489:
        return 'kind 489'
    elif x == 490:
        return 'kind 490'
    elif x == 491:
        return 'kind 491'
    elif x == 492:
        return 'kind 492'
    elif x == 493:
        return 'kind 493'
    elif x == 494:
        return 'kind 494'
    elif x == 495:
        return 'kind 495'
    elif x == 496:
        return 'kind 496'
    elif x == 497:
        return 'kind 497'
    elif x == 498:
        return 'kind 498'
    elif x == 499:
        return 'kind 499'
    elif x == 500:
        return 'kind 500'
    elif x == 501:
        return 'kind 501'
    elif x == 502:
        return 'kind 502'
    elif x == 503:
        return 'kind 503'
    elif x == 504:
        return 'kind 504'
    elif x == 505:
        return 'kind 505'
    elif x == 506:
        return 'kind 506'
    elif x == 507:
        return 'kind 507'
    elif x == 508:
        return 'kind 508'
    elif x == 509:
        return 'kind 509'
    elif x == 510:
        return 'kind 510'
    elif x == 511:
        return 'kind 511'
    elif x == 512:
        return 'kind 512'
    elif x == 513:
        return 'kind 513'
    elif x == 514:
        return 'kind 514'
    elif x == 515:
        return 'kind 515'
    elif x == 516:
        return 'kind 516'
    elif x == 517:
        return 'kind 517'
    elif x == 518:
        return 'kind 518'
    elif x == 519:
        return 'kind 519'
    elif x == 520:
        return 'kind 520'
    elif x == 521:
        return 'kind 521'
    elif x == 522:
        return 'kind 522'
    elif x == 523:
        return 'kind 523'
    elif x == 524:
        return 'kind 524'
    elif x == 525:
        return 'kind 525'
    elif x == 526:
        return 'kind 526'
    elif x == 527:
        return 'kind 527'
    elif x == 528:
        return 'kind 528'
    elif x == 529:
        return 'kind 529'
    elif x == 530:
        return 'kind 530'
    elif x == 531:
        return 'kind 531'
    elif x == 532:
        return 'kind 532'
    elif x == 533:
        return 'kind 533'
    elif x == 534:
        return 'kind 534'
    elif x == 535:
        return 'kind 535'
    elif x == 536:
        return 'kind 536'
    elif x == 537:
        return 'kind 537'
    elif x == 538:
        return 'kind 538'
    elif x == 539:
        return 'kind 539'
    elif x == 540:
        return 'kind 540'
    elif x == 541:
        return 'kind 541'
    elif x == 542:
        return 'kind 542'
    elif x == 543:
        return 'kind 543'
    elif x == 544:
        return 'kind 544'
    elif x == 545:
        return 'kind 545'
    elif x == 546:
        return 'kind 546'
    elif x == 547:
        return 'kind 547'
    elif x == 548:
        return 'kind 548'
    elif x == 549:
        return 'kind 549'
    elif x == 550:
        return 'kind 550'
    elif x == 551:
        return 'kind 551'
    elif x == 552:
        return 'kind 552'
    elif x == 553:
        return 'kind 553'
    elif x == 554:
        return 'kind 554'
    elif x == 555:
        return 'kind 555'
    elif x == 556:
        return 'kind 556'
    elif x == 557:
        return 'kind 557'
    elif x == 558:
        return 'kind 558'
    elif x == 559:
        return 'kind 559'
    elif x == 560:
        return 'kind 560'
    elif x == 561:
        return 'kind 561'
    elif x == 562:
        return 'kind 562'
    elif x == 563:
        return 'kind 563'
    elif x == 564:
        return 'kind 564'
    elif x == 565:
        return 'kind 565'
    elif x == 566:
        return 'kind 566'
    elif x == 567:
        return 'kind 567'
    elif x == 568:
        return 'kind 568'
    elif x == 569:
        return 'kind 569'
    elif x == 570:
        return 'kind 570'
    elif x == 571:
        return 'kind 571'
    elif x == 572:
        return 'kind 572'
    elif x == 573:
        return 'kind 573'
    elif x == 574:
        return 'kind 574'
    elif x == 575:
        return 'kind 575'
    elif x == 576:
        return 'kind 576'
    elif x == 577:
        return 'kind 577'
    elif x == 578:
        return 'kind 578'
    elif x == 579:
        return 'kind 579'
    elif x == 580:
        return 'kind 580'
    elif x == 581:
        return 'kind 581'
    elif x == 582:
        return 'kind 582'
    elif x == 583:
        return 'kind 583'
    elif x == 584:
        return 'kind 584'
    elif x == 585:
        return 'kind 585'
    elif x == 586:
        return 'kind 586'
    elif x == 587:
        return 'kind 587'
    elif x == 588:
        return 'kind 588'
    elif x == 589:
        return 'kind 589'
    elif x == 590:
        return 'kind 590'
    elif x == 591:
        return 'kind 591'
    elif x == 592:
        return 'kind 592'
    elif x == 593:
        return 'kind 593'
    elif x == 594:
        return 'kind 594'
    elif x == 595:
        return 'kind 595'
    elif x == 596:
        return 'kind 596'
    elif x == 597:
        return 'kind 597'
    elif x == 598:
        return 'kind 598'
    elif x == 599:
        return 'kind 599'
    elif x == 600:
        return 'kind 600'
    elif x == 601:
        return 'kind 601'
    elif x == 602:
        return 'kind 602'
    elif x == 603:
        return 'kind 603'
    elif x == 604:
        return 'kind 604'
    elif x == 605:
        return 'kind 605'
    elif x == 606:
        return 'kind 606'
    elif x == 607:
        return 'kind 607'
    elif x == 608:
        return 'kind 608'
    elif x == 609:
        return 'kind 609'
    elif x == 610:
        return 'kind 610'
    elif x == 611:
        return 'kind 611'
    elif x == 612:
        return 'kind 612'
    elif x == 613:
        return 'kind 613'
    elif x == 614:
        return 'kind 614'
    elif x == 615:
        return 'kind 615'
    elif x == 616:
        return 'kind 616'
    elif x == 617:
        return 'kind 617'
    elif x == 618:
        return 'kind 618'
    elif x == 619:
        return 'kind 619'
    elif x == 620:
        return 'kind 620'
    elif x == 621:
        return 'kind 621'
    elif x == 622:
        return 'kind 622'
    elif x == 623:
        return 'kind 623'
    elif x == 624:
        return 'kind 624'
    elif x == 625:
        return 'kind 625'
    elif x == 626:
        return 'kind 626'
    elif x == 627:
        return 'kind 627'
    elif x == 628:
        return 'kind 628'
    elif x == 629:
        return 'kind 629'
    elif x == 630:
        return 'kind 630'
    elif x == 631:
        return 'kind 631'
    elif x == 632:
        return 'kind 632'
    elif x == 633:
        return 'kind 633'
    elif x == 634:
        return 'kind 634'
    elif x == 635:
        return 'kind 635'
    elif x == 636:
        return 'kind 636'
    elif x == 637:
        return 'kind 637'
    elif x == 638:
        return 'kind 638'
    elif x == 639:
        return 'kind 639'
    elif x == 640:
        return 'kind 640'
    elif x == 641:
        return 'kind 641'
    elif x == 642:
        return 'kind 642'
    elif x == 643:
        return 'kind 643'
    elif x == 644:
        return 'kind 644'
    elif x == 645:
        return 'kind 645'
    elif x == 646:
        return 'kind 646'
    elif x == 647:
        return 'kind 647'
    elif x == 648:
        return 'kind 648'
    elif x == 649:
        return 'kind 649'
    elif x == 650:
        return 'kind 650'
    elif x == 651:
        return 'kind 651'
    elif x == 652:
        return 'kind 652'
    elif x == 653:
        return 'kind 653'
    elif x == 654:
        return 'kind 654'
    elif x == 655:
        return 'kind 655'
    elif x == 656:
        return 'kind 656'
    elif x == 657:
        return 'kind 657'
    elif x == 658:
        return 'kind 658'
    elif x == 659:
        return 'kind 659'
    elif x == 660:
        return 'kind 660'
    elif x == 661:
        return 'kind 661'
    elif x == 662:
        return 'kind 662'
    elif x == 663:
        return 'kind 663'
    elif x == 664:
        return 'kind 664'
    elif x == 665:
        return 'kind 665'
    elif x == 666:
        return 'kind 666'
    elif x == 667:
        return 'kind 667'
    elif x == 668:
        return 'kind 668'
    elif x == 669:
        return 'kind 669'
    elif x == 670:
        return 'kind 670'
    elif x == 671:
        return 'kind 671'
    elif x == 672:
        return 'kind 672'
    elif x == 673:
        return 'kind 673'
    elif x == 674:
        return 'kind 674'
    elif x == 675:
        return 'kind 675'
    elif x == 676:
        return 'kind 676'
    elif x == 677:
        return 'kind 677'
    elif x == 678:
        return 'kind 678'
    elif x == 679:
        return 'kind 679'
    elif x == 680:
        return 'kind 680'
    elif x == 681:
        return 'kind 681'
    elif x == 682:
        return 'kind 682'
    elif x == 683:
        return 'kind 683'
    elif x == 684:
        return 'kind 684'
    elif x == 685:
        return 'kind 685'
    elif x == 686:
        return 'kind 686'
    elif x == 687:
        return 'kind 687'
    elif x == 688:
        return 'kind 688'
    elif x == 689:
        return 'kind 689'
    elif x == 690:
        return 'kind 690'
    elif x == 691:
        return 'kind 691'
    elif x == 692:
        return 'kind 692'
    elif x == 693:
        return 'kind 693'
    elif x == 694:
        return 'kind 694'
    elif x == 695:
        return 'kind 695'
    elif x == 696:
        return 'kind 696'
    elif x == 697:
        return 'kind 697'
    elif x == 698:
        return 'kind 698'
    elif x == 699:
        return 'kind 699'
    elif x == 700:
        return 'kind 700'
    elif x == 701:
        return 'kind 701'
    elif x == 702:
        return 'kind 702'
    elif x == 703:
        return 'kind 703'
    elif x == 704:
        return 'kind 704'
    elif x == 705:
        return 'kind 705'
    elif x == 706:
        return 'kind 706'
    elif x == 707:
        return 'kind 707'
    elif x == 708:
        return 'kind 708'
    elif x == 709:
        return 'kind 709'
    elif x == 710:
        return 'kind 710'
    elif x == 711:
        return 'kind 711'
    elif x == 712:
        return 'kind 712'
    elif x == 713:
        return 'kind 713'
    elif x == 714:
        return 'kind 714'
    elif x == 715:
        return 'kind 715'
    elif x == 716:
        return 'kind 716'
    elif x == 717:
        return 'kind 717'
    elif x == 718:
        return 'kind 718'
    elif x == 719:
        return 'kind 719'
    elif x == 720:
        return 'kind 720'
    elif x == 721:
        return 'kind 721'
    elif x == 722:
        return 'kind 722'
    elif x == 723:
        return 'kind 723'
    elif x == 724:
        return 'kind 724'
    elif x == 725:
        return 'kind 725'
    elif x == 726:
        return 'kind 726'
    elif x == 727:
        return 'kind 727'
    elif x == 728:
        return 'kind 728'
    elif x == 729:
        return 'kind 729'
    elif x == 730:
        return 'kind 730'
    elif x == 731:
        return 'kind 731'
    elif x == 732:
        return 'kind 732'
    elif x == 733:
        return 'kind 733'
    elif x == 734:
        return 'kind 734'
    elif x == 735:
        return 'kind 735'
    elif x == 736:
        return 'kind 736'
    elif x == 737:
        return 'kind 737'
    elif x == 738:
        return 'kind 738'
    elif x == 739:
        return 'kind 739'
    elif x == 740:
        return 'kind 740'
    elif x == 741:
        return 'kind 741'
    elif x == 742:
        return 'kind 742'
    elif x == 743:
        return 'kind 743'
    elif x == 744:
        return 'kind 744'
    elif x == 745:
        return 'kind 745'
    elif x == 746:
        return 'kind 746'
    elif x == 747:
        return 'kind 747'
    elif x == 748:
        return 'kind 748'
    elif x == 749:
        return 'kind 749'
    elif x == 750:
        return 'kind 750'
    elif x == 751:
        return 'kind 751'
    elif x == 752:
        return 'kind 752'
    elif x == 753:
        return 'kind 753'
    elif x == 754:
        return 'kind 754'
    elif x == 755:
        return 'kind 755'
    elif x == 756:
        return 'kind 756'
    elif x == 757:
        return 'kind 757'
    elif x == 758:
        return 'kind 758'
    elif x == 759:
        return 'kind 759'
    elif x == 760:
        return 'kind 760'
    elif x == 761:
        return 'kind 761'
    elif x == 762:
        return 'kind 762'
    elif x == 763:
        return 'kind 763'
    elif x == 764:
        return 'kind 764'
    elif x == 765:
        return 'kind 765'
    elif x == 766:
        return 'kind 766'
    elif x == 767:
        return 'kind 767'
    elif x == 768:
        return 'kind 768'
    elif x == 769:
        return 'kind 769'
    elif x == 770:
        return 'kind 770'
    elif x == 771:
        return 'kind 771'
    elif x == 772:
        return 'kind 772'
    elif x == 773:
        return 'kind 773'
    elif x == 774:
        return 'kind 774'
    elif x == 775:
        return 'kind 775'
    elif x == 776:
        return 'kind 776'
    elif x == 777:
        return 'kind 777'
    elif x == 778:
        return 'kind 778'
    elif x == 779:
        return 'kind 779'
    elif x == 780:
        return 'kind 780'
    elif x == 781:
        return 'kind 781'
    elif x == 782:
        return 'kind 782'
    elif x == 783:
        return 'kind 783'
    elif x == 784:
        return 'kind 784'
    elif x == 785:
        return 'kind 785'
    elif x == 786:
        return 'kind 786'
    elif x == 787:
        return 'kind 787'
    elif x == 788:
        return 'kind 788'
    elif x == 789:
        return 'kind 789'
    elif x == 790:
        return 'kind 790'
    elif x == 791:
        return 'kind 791'
    elif x == 792:
        return 'kind 792'
    elif x == 793:
        return 'kind 793'
    elif x == 794:
        return 'kind 794'
    elif x == 795:
        return 'kind 795'
    elif x == 796:
        return 'kind 796'
    elif x == 797:
        return 'kind 797'
    elif x == 798:
        return 'kind 798'
    elif x == 799:
        return 'kind 799'
    elif x == 800:
        return 'kind 800'
    elif x == 801:
        return 'kind 801'
    elif x == 802:
        return 'kind 802'
    elif x == 803:
        return 'kind 803'
    elif x == 804:
        return 'kind 804'
    elif x == 805:
        return 'kind 805'
    elif x == 806:
        return 'kind 806'
    elif x == 807:
        return 'kind 807'
    elif x == 808:
        return 'kind 808'
    elif x == 809:
        return 'kind 809'
    elif x == 810:
        return 'kind 810'
    elif x == 811:
        return 'kind 811'
    elif x == 812:
        return 'kind 812'
    elif x == 813:
        return 'kind 813'
    elif x == 814:
        return 'kind 814'
    elif x == 815:
        return 'kind 815'
    elif x == 816:
        return 'kind 816'
    elif x == 817:
        return 'kind 817'
    elif x == 818:
        return 'kind 818'
    elif x == 819:
        return 'kind 819'
    elif x == 820:
        return 'kind 820'
    elif x == 821:
        return 'kind 821'
    elif x == 822:
        return 'kind 822'
    elif x == 823:
        return 'kind 823'
    elif x == 824:
        return 'kind 824'
    elif x == 825:
        return 'kind 825'
    elif x == 826:
        return 'kind 826'
    elif x == 827:
        return 'kind 827'
    elif x == 828:
        return 'kind 828'
    elif x == 829:
        return 'kind 829'
    elif x == 830:
        return 'kind 830'
    elif x == 831:
        return 'kind 831'
    elif x == 832:
        return 'kind 832'
    elif x == 833:
        return 'kind 833'
    elif x == 834:
        return 'kind 834'
    elif x == 835:
        return 'kind 835'
    elif x == 836:
        return 'kind 836'
    elif x == 837:
        return 'kind 837'
    elif x == 838:
        return 'kind 838'
    elif x == 839:
        return 'kind 839'
    elif x == 840:
        return 'kind 840'
    elif x == 841:
        return 'kind 841'
    elif x == 842:
        return 'kind 842'
    elif x == 843:
        return 'kind 843'
    elif x == 844:
        return 'kind 844'
    elif x == 845:
        return 'kind 845'
    elif x == 846:
        return 'kind 846'
    elif x == 847:
        return 'kind 847'
    elif x == 848:
        return 'kind 848'
    elif x == 849:
        return 'kind 849'
    elif x == 850:
        return 'kind 850'
    elif x == 851:
        return 'kind 851'
    elif x == 852:
        return 'kind 852'
    elif x == 853:
        return 'kind 853'
    elif x == 854:
        return 'kind 854'
    elif x == 855:
        return 'kind 855'
    elif x == 856:
        return 'kind 856'
    elif x == 857:
        return 'kind 857'
    elif x == 858:
        return 'kind 858'
    elif x == 859:
        return 'kind 859'
    elif x == 860:
        return 'kind 860'
    elif x == 861:
        return 'kind 861'
    elif x == 862:
        return 'kind 862'
    elif x == 863:
        return 'kind 863'
    elif x == 864:
        return 'kind 864'
    elif x == 865:
        return 'kind 865'
    elif x == 866:
        return 'kind 866'
    elif x == 867:
        return 'kind 867'
    elif x == 868:
        return 'kind 868'
    elif x == 869:
        return 'kind 869'
    elif x == 870:
        return 'kind 870'
    elif x == 871:
        return 'kind 871'
    elif x == 872:
        return 'kind 872'
    elif x == 873:
        return 'kind 873'
    elif x == 874:
        return 'kind 874'
    elif x == 875:
        return 'kind 875'
    elif x == 876:
        return 'kind 876'
    elif x == 877:
        return 'kind 877'
    elif x == 878:
        return 'kind 878'
    elif x == 879:
        return 'kind 879'
    elif x == 880:
        return 'kind 880'
    elif x == 881:
        return 'kind 881'
    elif x == 882:
        return 'kind 882'
    elif x == 883:
        return 'kind 883'
    elif x == 884:
        return 'kind 884'
    elif x == 885:
        return 'kind 885'
    elif x == 886:
        return 'kind 886'
    elif x == 887:
        return 'kind 887'
    elif x == 888:
        return 'kind 888'
    elif x == 889:
        return 'kind 889'
    elif x == 890:
        return 'kind 890'
    elif x == 891:
        return 'kind 891'
    elif x == 892:
        return 'kind 892'
    elif x == 893:
        return 'kind 893'
    elif x == 894:
        return 'kind 894'
    elif x == 895:
        return 'kind 895'
    elif x == 896:
        return 'kind 896'
    elif x == 897:
        return 'kind 897'
    elif x == 898:
        return 'kind 898'
    elif x == 899:
        return 'kind 899'
    elif x == 900:
        return 'kind 900'
    elif x == 901:
        return 'kind 901'
    elif x == 902:
        return 'kind 902'
    elif x == 903:
        return 'kind 903'
    elif x == 904:
        return 'kind 904'
    elif x == 905:
        return 'kind 905'
    elif x == 906:
        return 'kind 906'
    elif x == 907:
        return 'kind 907'
    elif x == 908:
        return 'kind 908'
    elif x == 909:
        return 'kind 909'
    elif x == 910:
        return 'kind 910'
    elif x == 911:
        return 'kind 911'
    elif x == 912:
        return 'kind 912'
    elif x == 913:
        return 'kind 913'
    elif x == 914:
        return 'kind 914'
    elif x == 915:
        return 'kind 915'
    elif x == 916:
        return 'kind 916'
    elif x == 917:
        return 'kind 917'
    elif x == 918:
        return 'kind 918'
    elif x == 919:
        return 'kind 919'
    elif x == 920:
        return 'kind 920'
    elif x == 921:
        return 'kind 921'
    elif x == 922:
        return 'kind 922'
    elif x == 923:
        return 'kind 923'
    elif x == 924:
        return 'kind 924'
    elif x == 925:
        return 'kind 925'
    elif x == 926:
        return 'kind 926'
    elif x == 927:
        return 'kind 927'
    elif x == 928:
        return 'kind 928'
    elif x == 929:
        return 'kind 929'
    elif x == 930:
        return 'kind 930'
    elif x == 931:
        return 'kind 931'
    elif x == 932:
        return 'kind 932'
    elif x == 933:
        return 'kind 933'
    elif x == 934:
        return 'kind 934'
    elif x == 935:
        return 'kind 935'
    elif x == 936:
        return 'kind 936'
    elif x == 937:
        return 'kind 937'
    elif x == 938:
        return 'kind 938'
    elif x == 939:
        return 'kind 939'
    elif x == 940:
        return 'kind 940'
    elif x == 941:
        return 'kind 941'
    elif x == 942:
        return 'kind 942'
    elif x == 943:
        return 'kind 943'
    elif x == 944:
        return 'kind 944'
    elif x == 945:
        return 'kind 945'
    elif x == 946:
        return 'kind 946'
    elif x == 947:
        return 'kind 947'
    elif x == 948:
        return 'kind 948'
    elif x == 949:
        return 'kind 949'
    elif x == 950:
        return 'kind 950'
    elif x == 951:
        return 'kind 951'
    elif x == 952:
        return 'kind 952'
    elif x == 953:
        return 'kind 953'
    elif x == 954:
        return 'kind 954'
    elif x == 955:
        return 'kind 955'
    elif x == 956:
        return 'kind 956'
    elif x == 957:
        return 'kind 957'
    elif x == 958:
        return 'kind 958'
    elif x == 959:
        return 'kind 959'
    elif x == 960:
        return 'kind 960'
    elif x == 961:
        return 'kind 961'
    elif x == 962:
        return 'kind 962'
    elif x == 963:
        return 'kind 963'
    elif x == 964:
        return 'kind 964'
    elif x == 965:
        return 'kind 965'
    elif x == 966:
        return 'kind 966'
    elif x == 967:
        return 'kind 967'
    elif x == 968:
        return 'kind 968'
    elif x == 969:
        return 'kind 969'
    elif x == 970:
        return 'kind 970'
    elif x == 971:
        return 'kind 971'
    elif x == 972:
        return 'kind 972'
    elif x == 973:
        return 'kind 973'
    elif x == 974:
        return 'kind 974'
    elif x == 975:
        return 'kind 975'
    elif x == 976:
        return 'kind 976'
    elif x == 977:
        return 'kind 977'
    elif x == 978:
        return 'kind 978'
    elif x == 979:
        return 'kind 979'
    elif x == 980:
        return 'kind 980'
    elif x == 981:
        return 'kind 981'
    elif x == 982:
        return 'kind 982'
    elif x == 983:
        return 'kind 983'
    elif x == 984:
        return 'kind 984'
    elif x == 985:
        return 'kind 985'
    elif x == 986:
        return 'kind 986'
    elif x == 987:
        return 'kind 987'
    elif x == 988:
        return 'kind 988'
    elif x == 989:
        return 'kind 989'
    elif x == 990:
        return 'kind 990'
    elif x == 991:
        return 'kind 991'
    elif x == 992:
        return 'kind 992'
    elif x == 993:
        return 'kind 993'
    elif x == 994:
        return 'kind 994'
    elif x == 995:
        return 'kind 995'
    elif x == 996:
        return 'kind 996'
    elif x == 997:
        return 'kind 997'
    elif x == 998:
        return 'kind 998'
    elif x == 999:
        return 'kind 999'
    elif x == 1000:
        return 'kind 1000'
    elif x == 1001:
        return 'kind 1001'
    elif x == 1002:
        return 'kind 1002'
    elif x == 1003:
        return 'kind 1003'
    elif x == 1004:
        return 'kind 1004'
    elif x == 1005:
        return 'kind 1005'
    elif x == 1006:
        return 'kind 1006'
    elif x == 1007:
        return 'kind 1007'
    elif x == 1008:
        return 'kind 1008'
    elif x == 1009:
        return 'kind 1009'
    elif x == 1010:
        return 'kind 1010'
    elif x == 1011:
        return 'kind 1011'
    elif x == 1012:
        return 'kind 1012'
    elif x == 1013:
        return 'kind 1013'
    elif x == 1014:
        return 'kind 1014'
    elif x == 1015:
        return 'kind 1015'
    elif x == 1016:
        return 'kind 1016'
    elif x == 1017:
        return 'kind 1017'
    elif x == 1018:
        return 'kind 1018'
    elif x == 1019:
        return 'kind 1019'
    elif x == 1020:
        return 'kind 1020'
    elif x == 1021:
        return 'kind 1021'
    elif x == 1022:
        return 'kind 1022'
    elif x == 1023:
        return 'kind 1023'
    elif x == 1024:
        return 'kind 1024'
    elif x == 1025:
        return 'kind 1025'
    elif x == 1026:
        return 'kind 1026'
    elif x == 1027:
        return 'kind 1027'
    elif x == 1028:
        return 'kind 1028'
    elif x == 1029:
        return 'kind 1029'
    elif x == 1030:
        return 'kind 1030'
    elif x == 1031:
        return 'kind 1031'
    elif x == 1032:
        return 'kind 1032'
    elif x == 1033:
        return 'kind 1033'
    elif x == 1034:
        return 'kind 1034'
    elif x == 1035:
        return 'kind 1035'
    elif x == 1036:
        return 'kind 1036'
    elif x == 1037:
        return 'kind 1037'
    elif x == 1038:
        return 'kind 1038'
    elif x == 1039:
        return 'kind 1039'
    elif x == 1040:
        return 'kind 1040'
    elif x == 1041:
        return 'kind 1041'
    elif x == 1042:
        return 'kind 1042'
    elif x == 1043:
        return 'kind 1043'
    elif x == 1044:
        return 'kind 1044'
    elif x == 1045:
        return 'kind 1045'
    elif x == 1046:
        return 'kind 1046'
    elif x == 1047:
        return 'kind 1047'
    elif x == 1048:
        return 'kind 1048'
    elif x == 1049:
        return 'kind 1049'
    elif x == 1050:
        return 'kind 1050'
    elif x == 1051:
        return 'kind 1051'
    elif x == 1052:
        return 'kind 1052'
    elif x == 1053:
        return 'kind 1053'
    elif x == 1054:
        return 'kind 1054'
    elif x == 1055:
        return 'kind 1055'
    elif x == 1056:
        return 'kind 1056'
    elif x == 1057:
        return 'kind 1057'
    elif x == 1058:
        return 'kind 1058'
    elif x == 1059:
        return 'kind 1059'
    elif x == 1060:
        return 'kind 1060'
    elif x == 1061:
        return 'kind 1061'
    elif x == 1062:
        return 'kind 1062'
    elif x == 1063:
        return 'kind 1063'
    elif x == 1064:
        return 'kind 1064'
    elif x == 1065:
        return 'kind 1065'
    elif x == 1066:
        return 'kind 1066'
    elif x == 1067:
        return 'kind 1067'
    elif x == 1068:
        return 'kind 1068'
    elif x == 1069:
        return 'kind 1069'
    elif x == 1070:
        return 'kind 1070'
    elif x == 1071:
        return 'kind 1071'
    elif x == 1072:
        return 'kind 1072'
    elif x == 1073:
        return 'kind 1073'
    elif x == 1074:
        return 'kind 1074'
    elif x == 1075:
        return 'kind 1075'
    elif x == 1076:
        return 'kind 1076'
    elif x == 1077:
        return 'kind 1077'
    elif x == 1078:
        return 'kind 1078'
    elif x == 1079:
        return 'kind 1079'
    elif x == 1080:
        return 'kind 1080'
    elif x == 1081:
        return 'kind 1081'
    elif x == 1082:
        return 'kind 1082'
    elif x == 1083:
        return 'kind 1083'
    elif x == 1084:
        return 'kind 1084'
    elif x == 1085:
        return 'kind 1085'
    elif x == 1086:
        return 'kind 1086'
    elif x == 1087:
        return 'kind 1087'
    elif x == 1088:
        return 'kind 1088'
    elif x == 1089:
        return 'kind 1089'
    elif x == 1090:
        return 'kind 1090'
    elif x == 1091:
        return 'kind 1091'
    elif x == 1092:
        return 'kind 1092'
    elif x == 1093:
        return 'kind 1093'
    elif x == 1094:
        return 'kind 1094'
    elif x == 1095:
        return 'kind 1095'
    elif x == 1096:
        return 'kind 1096'
    elif x == 1097:
        return 'kind 1097'
    elif x == 1098:
        return 'kind 1098'
    elif x == 1099:
        return 'kind 1099'
    elif x == 1100:
        return 'kind 1100'
    elif x == 1101:
        return 'kind 1101'
    elif x == 1102:
        return 'kind 1102'
    elif x == 1103:
        return 'kind 1103'
    elif x == 1104:
        return 'kind 1104'
    elif x == 1105:
        return 'kind 1105'
    elif x == 1106:
        return 'kind 1106'
    elif x == 1107:
        return 'kind 1107'
    elif x == 1108:
        return 'kind 1108'
    elif x == 1109:
        return 'kind 1109'
    elif x == 1110:
        return 'kind 1110'
    elif x == 1111:
        return 'kind 1111'
    elif x == 1112:
        return 'kind 1112'
    elif x == 1113:
        return 'kind 1113'
    elif x == 1114:
        return 'kind 1114'
    elif x == 1115:
        return 'kind 1115'
    elif x == 1116:
        return 'kind 1116'
    elif x == 1117:
        return 'kind 1117'
    elif x == 1118:
        return 'kind 1118'
    elif x == 1119:
        return 'kind 1119'
    elif x == 1120:
        return 'kind 1120'
    elif x == 1121:
        return 'kind 1121'
    elif x == 1122:
        return 'kind 1122'
    elif x == 1123:
        return 'kind 1123'
    elif x == 1124:
        return 'kind 1124'
    elif x == 1125:
        return 'kind 1125'
    elif x == 1126:
        return 'kind 1126'
    elif x == 1127:
        return 'kind 1127'
    elif x == 1128:
        return 'kind 1128'
    elif x == 1129:
        return 'kind 1129'
    elif x == 1130:
        return 'kind 1130'
    elif x == 1131:
        return 'kind 1131'
    elif x == 1132:
        return 'kind 1132'
    elif x == 1133:
        return 'kind 1133'
    elif x == 1134:
        return 'kind 1134'
    elif x == 1135:
        return 'kind 1135'
    elif x == 1136:
        return 'kind 1136'
    elif x == 1137:
        return 'kind 1137'
    elif x == 1138:
        return 'kind 1138'
    elif x == 1139:
        return 'kind 1139'
    elif x == 1140:
        return 'kind 1140'
    elif x == 1141:
        return 'kind 1141'
    elif x == 1142:
        return 'kind 1142'
    elif x == 1143:
        return 'kind 1143'
    elif x == 1144:
        return 'kind 1144'
    elif x == 1145:
        return 'kind 1145'
    elif x == 1146:
        return 'kind 1146'
    elif x == 1147:
        return 'kind 1147'
    elif x == 1148:
        return 'kind 1148'
    elif x == 1149:
        return 'kind 1149'
    elif x == 1150:
        return 'kind 1150'
    elif x == 1151:
        return 'kind 1151'
    elif x == 1152:
        return 'kind 1152'
    elif x == 1153:
        return 'kind 1153'
    elif x == 1154:
        return 'kind 1154'
    elif x == 1155:
        return 'kind 1155'
    elif x == 1156:
        return 'kind 1156'
    elif x == 1157:
        return 'kind 1157'
    elif x == 1158:
        return 'kind 1158'
    elif x == 1159:
        return 'kind 1159'
    elif x == 1160:
        return 'kind 1160'
    elif x == 1161:
        return 'kind 1161'
    elif x == 1162:
        return 'kind 1162'
    elif x == 1163:
        return 'kind 1163'
    elif x == 1164:
        return 'kind 1164'
    elif x == 1165:
        return 'kind 1165'
    elif x == 1166:
        return 'kind 1166'
    elif x == 1167:
        return 'kind 1167'
    elif x == 1168:
        return 'kind 1168'
    elif x == 1169:
        return 'kind 1169'
    elif x == 1170:
        return 'kind 1170'
    elif x == 1171:
        return 'kind 1171'
    elif x == 1172:
        return 'kind 1172'
    elif x == 1173:
        return 'kind 1173'
    elif x == 1174:
        return 'kind 1174'
    elif x == 1175:
        return 'kind 1175'
    elif x == 1176:
        return 'kind 1176'
    elif x == 1177:
        return 'kind 1177'
    elif x == 1178:
        return 'kind 1178'
    elif x == 1179:
        return 'kind 1179'
    elif x == 1180:
        return 'kind 1180'
    elif x == 1181:
        return 'kind 1181'
    elif x == 1182:
        return 'kind 1182'
    elif x == 1183:
        return 'kind 1183'
    elif x == 1184:
        return 'kind 1184'
    elif x == 1185:
        return 'kind 1185'
    elif x == 1186:
        return 'kind 1186'
    elif x == 1187:
        return 'kind 1187'
    elif x == 1188:
        return 'kind 1188'
    elif x == 1189:
        return 'kind 1189'
    elif x == 1190:
        return 'kind 1190'
    elif x == 1191:
        return 'kind 1191'
    elif x == 1192:
        return 'kind 1192'
    elif x == 1193:
        return 'kind 1193'
    elif x == 1194:
        return 'kind 1194'
    elif x == 1195:
        return 'kind 1195'
    elif x == 1196:
        return 'kind 1196'
    elif x == 1197:
        return 'kind 1197'
    elif x == 1198:
        return 'kind 1198'
    elif x == 1199:
        return 'kind 1199'
    else:
        return 'other'
